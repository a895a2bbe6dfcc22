import { messageOf } from './faults.ts'
import type { Say } from './say.ts'
import { createBackoff, pause } from './service/backoff.ts'
import { ClaimFault, readClaim, type Deployment } from './service/read-claim.ts'
import type { Service } from './service/service.ts'

export type Claimed = {
  deployment: Deployment
  body: Record<string, unknown>
  at: { dateMs: number | undefined; askedAt: number }
}

const waitSeconds = 30
/** A claim that is answered at once with nothing would be asked a thousand times a second. */
const leastMs = 1_000
const refusedMs = 60_000

/**
 * Asks for work until there is some. The open question is the heartbeat of an idle agent. Undefined once the signal
 * comes.
 */
export async function claimWork(
  service: Service,
  { body, ending, say }: { body: () => Record<string, unknown>; ending: AbortSignal; say: Say },
): Promise<Claimed | undefined> {
  const backoff = createBackoff({ firstMs: 1_000, mostMs: 30_000 })
  while (!ending.aborted) {
    const askedAt = performance.now()
    try {
      const answer = await service.post(
        'claim',
        { waitSeconds, ...body() },
        { signal: ending, silentMs: (waitSeconds + 15) * 1_000 },
      )
      if (answer.status === 200) {
        const deployment = readClaim(answer.body['deployment'])
        // The question may have waited for half a minute: the lease began with the answer.
        const at = { dateMs: answer.dateMs, askedAt: performance.now() }
        return { deployment, body: answer.body, at }
      }
      if (answer.status === 204) {
        backoff.reset()
        await pause(Math.max(0, leastMs - (performance.now() - askedAt)), ending)
      } else {
        say('error', whyRefused[answer.status] ?? 'the service refuses the claim', {
          status: answer.status,
          code: answer.code,
        })
        if (answer.status === 401) {
          await backoff.wait(ending)
          await service.signIn(ending)
        } else
          await pause(Math.max(refusedMs, answer.retryAfterMs) * (0.75 + Math.random() / 2), ending)
      }
    } catch (error) {
      if (ending.aborted) return undefined
      say(error instanceof ClaimFault ? 'error' : 'warn', 'no work could be claimed', {
        why: messageOf(error),
      })
      await backoff.wait(ending, retryAfterOf(error))
    }
  }
  return undefined
}

/** It keeps what it runs, and asks again: an operator may have changed something. */
const whyRefused: Record<number, string> = {
  401: 'the service does not know the token: it was rotated, or the agent was deleted',
  403: 'the organization is suspended',
  426: 'this agent is too old for the service: install a newer one. It keeps what it runs',
}

const retryAfterOf = (error: unknown): number =>
  error instanceof Error && 'retryAfterMs' in error ? Number(error.retryAfterMs) : 0
