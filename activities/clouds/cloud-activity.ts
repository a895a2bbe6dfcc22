import { setTimeout as sleep } from 'node:timers/promises'
import { Context } from '@temporalio/activity'
import { AppError, conflict, unavailable } from '../../domain/errors.ts'
import type { Cloud } from '../../gateways/clouds/cloud.ts'
import { CloudFault } from '../../gateways/clouds/cloud-fault.ts'
import { bounded, within } from '../../gateways/clouds/within.ts'
import { cloudAccounts } from '../../store/clouds/cloud-accounts.ts'
import { cloudSyncs, type CloudSync } from '../../store/clouds/cloud-syncs.ts'
import { syncFaults } from '../../store/clouds/sync-faults.ts'
import type { SyncAccountInput } from '../../workflows/clouds/contract.ts'
import { beatWhile } from '../beat-while.ts'
import type { Deps } from '../deps.ts'

const pausesMs = [1_000, 5_000]
/** Of one answer with all tries for it. A client of a cloud alone may try eight times, for 30 s each. */
const maxAskMs = 3 * 60_000

/**
 * Wraps every activity that calls a cloud. It sends heartbeats, so that a dead worker is noticed
 * within seconds and its step repeated.
 */
export async function cloudActivity<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { cancellationSignal } = Context.current()
  try {
    return await beatWhile(async () => work(cancellationSignal))
  } catch (error) {
    throw asFault(error)
  }
}

/** The cloud of a running sync; undefined once the sync is over or its account is disconnected. */
export async function withCloud<T>(
  deps: Pick<Deps, 'store' | 'openCloud'>,
  { organizationId, syncId }: SyncAccountInput,
  work: (cloud: Cloud, sync: CloudSync) => Promise<T>,
): Promise<T | undefined> {
  const found = await deps.store.tenant(organizationId, async (tenant) => {
    const sync = await cloudSyncs(tenant).find(syncId)
    if (sync?.state !== 'running') return undefined
    return { sync, account: await cloudAccounts(tenant).get(sync.cloudAccountId) }
  })
  if (!found) return undefined
  const cloud = await deps.openCloud(found.account)
  try {
    return await work(cloud, found.sync)
  } catch (error) {
    // The workflow is told the fault's code alone.
    if (error instanceof CloudFault)
      await deps.store.tenant(organizationId, async (tenant) =>
        syncFaults(tenant).note(syncId, error.message),
      )
    throw error
  } finally {
    cloud.close()
  }
}

/** A cloud that does not answer is asked three times. */
export async function askThrice<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let tries = 0; ; tries += 1)
    try {
      return await ask()
    } catch (error) {
      const pauseMs = pausesMs[tries]
      if (pauseMs === undefined || !isKind(error, 'unreachable') || signal.aborted) throw error
      await sleep(pauseMs, undefined, { signal })
    }
}

type Limits = { signal: AbortSignal; timeoutMs?: number }

/**
 * Asks thrice, and ends with the time or the signal, also where a client of a cloud does not look at it: it passes none
 * to the requests by which it signs in. Otherwise a host of an organization's own keeps a slot of this worker for as
 * long as it is silent.
 */
export async function askInTime<T>(
  ask: (until: AbortSignal) => Promise<T>,
  { signal, timeoutMs = maxAskMs }: Limits,
): Promise<T> {
  const until = within(timeoutMs, signal)
  try {
    return await bounded(
      askThrice(async () => ask(until), until),
      until,
    )
  } catch (error) {
    // That the worker stops says nothing of the cloud: the next attempt goes on.
    if (signal.aborted)
      throw unavailable('cloud_interrupted', 'The call of the cloud was interrupted.', error)
    throw error
  }
}

export const isKind = (error: unknown, ...kinds: Array<CloudFault['kind']>): error is CloudFault =>
  error instanceof CloudFault && kinds.includes(error.kind)

/**
 * A throttling cloud is asked again later, which is no failure; all other refusals are final. Also a list without an
 * end: an attempt of its own would read the same pages, for as long as a sync may run.
 */
export function asFault(error: unknown): unknown {
  if (!(error instanceof CloudFault)) return error
  if (error.kind === 'throttled')
    return new AppError('unavailable', error.message, {
      code: 'cloud_throttled',
      retryAfterSeconds: 30,
      cause: error,
    })
  if (error.kind === 'credentials') return conflict('cloud_credentials_rejected', error.message)
  if (error.kind === 'unreachable') return conflict('cloud_unreachable', error.message)
  if (error.kind === 'denied' || error.kind === 'excluded')
    return conflict('cloud_denied', error.message)
  return conflict('cloud_fault', error.message)
}
