import type { FastifyRequest } from 'fastify'
import type { ScimCaller } from '../../domain/scim/scim-caller.ts'
import type { ScimRequest } from '../../store/scim/scim-log.ts'
import type { AuditActor } from '../../store/audit/audit-log.ts'

/** Who sent a request, what it asks for, and the status of a success. */
export type Provisioning = ScimCaller &
  ScimRequest & { status: number; ifMatch: string | undefined }

export const provisioningOf = (request: FastifyRequest, status: number): Provisioning => ({
  ...request.scimCaller,
  method: request.method,
  path: request.url,
  status,
  ifMatch: request.headers['if-match'],
})

export const actorOfToken = ({ tokenId, tokenName, ip, requestId }: ScimCaller): AuditActor => ({
  kind: 'scim',
  id: tokenId,
  label: tokenName,
  ip,
  requestId,
})
