import type { FastifyReply } from 'fastify'
import { outboundUntil } from '../../gateways/outbound/outbound-until.ts'
import type { Deps } from '../deps.ts'

/** All that a request may ask of other hosts before it is answered. */
const maxMs = 120_000

/**
 * Deps for a request that asks a host which its caller has chosen. Once the caller has closed the
 * connection nothing further is asked: otherwise a slow or endless host would keep this process
 * busy for callers that are gone.
 */
export function untilGone(reply: FastifyReply, deps: Deps): Deps {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  const until = AbortSignal.any([gone.signal, AbortSignal.timeout(maxMs)])
  return { ...deps, outbound: outboundUntil(deps.outbound, until) }
}
