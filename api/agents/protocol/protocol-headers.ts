import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  currentProtocol,
  isTooOld,
  readProtocol,
  tooOld,
} from '../../../domain/agents/agent-protocol.ts'
import { AppError } from '../../../domain/errors.ts'
import { noteOutdated } from '../../../store/agents/note-outdated.ts'
import type { Deps } from '../../deps.ts'

/**
 * Refuses an agent whose protocol is too old, before its body is read: what it would say is not understood.
 * It is shown as outdated, and keeps what it runs.
 */
export async function assertProtocol(
  deps: Pick<Deps, 'store'>,
  { headers, agentCaller }: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  if (isTooOld(readProtocol(headers['cc-agent-protocol'])))
    throw await refuseOld(deps, agentCaller, reply)
}

/** RFC 9110 15.5.22: a 426 names what it wants instead. */
export async function refuseOld(
  { store }: Pick<Deps, 'store'>,
  agent: FastifyRequest['agentCaller'],
  reply: FastifyReply,
): Promise<AppError> {
  if (agent.kind === 'host') await noteOutdated(store, agent)
  void reply.headers({ upgrade: `cc-agent/${currentProtocol}`, connection: 'upgrade' })
  return tooOld()
}

/** Agents of a suspended organization get no new work, and enroll no host. */
export function assertNotSuspended({ agentCaller }: FastifyRequest): void {
  if (agentCaller.organizationStatus === 'suspended')
    throw new AppError('forbidden', 'This organization is suspended.', {
      code: 'organization_suspended',
    })
}
