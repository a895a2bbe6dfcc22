import type { FastifyReply } from 'fastify'
import { outboundUntil } from '../../gateways/outbound/outbound-until.ts'
import type { Deps } from '../deps.ts'

/** The time that a request may spend on calls to other hosts. */
const maxMs = 120_000

/**
 * Dependencies for a request that calls a host of the caller's choice. Calls stop once the caller has
 * closed the connection: otherwise a slow or endless host keeps this process busy for nobody.
 */
export function untilGone(reply: FastifyReply, deps: Deps): Deps {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  const until = AbortSignal.any([gone.signal, AbortSignal.timeout(maxMs)])
  return { ...deps, outbound: outboundUntil(deps.outbound, until) }
}

/**
 * Dependencies for a request that changes a host and the store: its calls stop after the same time, but not once
 * the caller has left, for half of the change would be left behind.
 */
export const untilLate = (deps: Deps): Deps => ({
  ...deps,
  outbound: outboundUntil(deps.outbound, AbortSignal.timeout(maxMs)),
})
