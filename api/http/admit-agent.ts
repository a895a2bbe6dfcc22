import type { FastifyReply, FastifyRequest } from 'fastify'
import { hashCredential, tokenKind } from '../../domain/access/credentials.ts'
import { callers } from '../../store/platform/callers.ts'
import type { Deps } from '../deps.ts'
import { bearerOf, unauthenticated } from './bearer.ts'

/** An agent's token alone, of the kind that the route is for: one that enrolls hosts gets no work. */
export async function admitAgent(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const bearer = bearerOf(request, false)
  if (bearer === undefined || tokenKind(bearer) !== 'agt') throw unauthenticated()
  const rows = callers(deps.store)
  const row = await rows.byAgentToken(hashCredential(bearer))
  const wanted = request.routeOptions.config.access === 'join' ? 'join' : 'host'
  if (row?.kind !== wanted) throw unauthenticated()
  const { stale, ...caller } = row
  request.agentCaller = { ...caller, ip: request.ip, requestId: request.id }
  const { rateLimits } = request.server
  // A thousand agents within their own limits would leave others no time.
  rateLimits.take(reply, 'agents', String(caller.organizationId))
  // Of the agent and not of the token, so that a rotation gives no second allowance.
  rateLimits.take(reply, 'agent', String(caller.agentId))
  if (stale) await rows.touchToken(caller.tokenId)
}
