import { Context } from '@temporalio/activity'
import { conflict } from '../../domain/errors.ts'
import { refusalOf } from '../../gateways/git/git-refusal.ts'
import { outboundUntil } from '../../gateways/outbound/outbound-until.ts'
import { beatWhile } from '../beat-while.ts'
import type { Deps } from '../deps.ts'
import { createStepShare } from '../step-share.ts'

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
  const { cancellationSignal } = Context.current()
  const outbound = outboundUntil(deps.outbound, cancellationSignal)
  return withinShare({ organizationId, most: maxOfOrganization }, async () => {
    try {
      return await beatWhile(async () => work({ ...deps, outbound }))
    } catch (error) {
      throw finalIfRefused(error)
    }
  })
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
const withinShare = createStepShare({
  code: 'git_share_taken',
  message: 'Too many calls of Git hosts of this organization are under way.',
  mostSeconds: 60,
})
