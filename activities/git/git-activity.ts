import { Context } from '@temporalio/activity'
import { conflict } from '../../domain/errors.ts'
import { refusalOf } from '../../gateways/git/git-refusal.ts'
import { outboundUntil } from '../../gateways/outbound/outbound-until.ts'
import { beatWhile } from '../beat-while.ts'
import type { Deps } from '../deps.ts'

/**
 * Wraps every activity that calls a provider. It sends heartbeats, so that a dead worker is noticed within
 * seconds and its step repeated. `work` is given dependencies whose calls end once the activity is cancelled or
 * has timed out: otherwise a host that answers slowly would keep its slot of this worker. A refused token is a
 * final error: it will not be accepted later either.
 */
export async function gitActivity<T>(deps: Deps, work: (deps: Deps) => Promise<T>): Promise<T> {
  const { cancellationSignal } = Context.current()
  const outbound = outboundUntil(deps.outbound, cancellationSignal)
  try {
    return await beatWhile(async () => work({ ...deps, outbound }))
  } catch (error) {
    const refusal = refusalOf(error)
    if (refusal?.code === 'git_token_rejected' || refusal?.code === 'git_forbidden')
      throw conflict(refusal.code, refusal.message)
    throw error
  }
}
