import { Context } from '@temporalio/activity'
import { AppError, conflict } from '../../domain/errors.ts'
import { refusalOf } from '../../gateways/git/git-refusal.ts'
import { outboundUntil } from '../../gateways/outbound/outbound-until.ts'
import { beatWhile } from '../beat-while.ts'
import type { Deps } from '../deps.ts'

/**
 * Wraps every activity that calls a provider. It sends heartbeats, so that a dead worker is noticed within
 * seconds and its step repeated. `work` is given dependencies whose calls end once the activity is cancelled or
 * has timed out: otherwise a host that answers slowly would keep its slot of this worker. A refused token is a
 * final error: it will not be accepted later either. Over its organization's share of the slots, the step is handed
 * back and tried again, less and less often: a host that does not answer can leave thousands of deliveries waiting.
 */
export async function gitActivity<T, D extends Pick<Deps, 'outbound'>>(
  deps: D,
  organizationId: number,
  work: (deps: D) => Promise<T>,
): Promise<T> {
  const { cancellationSignal, info } = Context.current()
  const outbound = outboundUntil(deps.outbound, cancellationSignal)
  const underWay = countOf.get(organizationId) ?? 0
  if (underWay >= maxOfOrganization) throw shareTaken(info.attempt)
  countOf.set(organizationId, underWay + 1)
  try {
    return await beatWhile(async () => work({ ...deps, outbound }))
  } catch (error) {
    throw finalIfRefused(error)
  } finally {
    const left = (countOf.get(organizationId) ?? 1) - 1
    if (left > 0) countOf.set(organizationId, left)
    else countOf.delete(organizationId)
  }
}

/** A refused token as a fault that is not tried again; any other error as it is. */
export function finalIfRefused(error: unknown): unknown {
  const refusal = refusalOf(error)
  if (refusal?.code === 'git_token_rejected' || refusal?.code === 'git_forbidden')
    return conflict(refusal.code, refusal.message)
  return error
}

/** Of the 50 slots of the queue `control` (worker/create-worker.ts), which hosts of an organization's own can hold. */
const maxOfOrganization = 10
const countOf = new Map<number, number>()

const mostSeconds = 60

/** Two seconds, then twice as long each time, up to a minute. Half of it is random, so that they do not return together. */
function secondsUntil(attempt: number): number {
  const most = Math.min(mostSeconds, 2 ** Math.min(attempt, 6))
  const least = Math.max(2, most / 2)
  return least + Math.random() * (most - least)
}

const shareTaken = (attempt: number) =>
  new AppError('unavailable', 'Too many calls of Git hosts of this organization are under way.', {
    code: 'git_share_taken',
    retryAfterSeconds: secondsUntil(attempt),
  })
