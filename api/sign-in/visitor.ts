import type { FastifyRequest } from 'fastify'
import type { AuditActor } from '../../store/audit/audit-log.ts'

/** A client without a session. */
export type Visitor = { ip: string; userAgent: string; requestId: string }

export const visitorOf = (request: FastifyRequest): Visitor => ({
  ip: request.ip,
  userAgent: request.headers['user-agent'] ?? '',
  requestId: request.id,
})

export const actorOfVisitor = ({ ip, requestId }: Visitor): AuditActor => ({
  kind: 'system',
  id: null,
  label: 'sign-in',
  ip,
  requestId,
})
