import { ApplicationFailure, proxyActivities } from '@temporalio/workflow'
import type { CloudActivities, ControlActivities } from '../../activities/index.ts'
import { codeOf } from '../code-of.ts'
import { cloudQueue } from '../platform/contract.ts'
import type { SyncAccountInput, SyncPlaceInput } from './contract.ts'

const retry = { initialInterval: '500 ms', maximumInterval: '1 minute' } as const

const { endSync } = proxyActivities<ControlActivities>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '200 ms', maximumInterval: '5 seconds' },
})
// A cloud may throttle for hours, and each attempt goes on where the last one was. An attempt ends
// after a minute and the page that it waits for, so that Temporal shares the slots of all workers
// among the organizations.
const { listPlaces, lookAtPlace } = proxyActivities<CloudActivities>({
  taskQueue: cloudQueue,
  startToCloseTimeout: '15 minutes',
  scheduleToCloseTimeout: '12 hours',
  heartbeatTimeout: '15 seconds',
  retry,
})
const { mergePlace } = proxyActivities<CloudActivities>({
  taskQueue: cloudQueue,
  startToCloseTimeout: '1 hour',
  scheduleToCloseTimeout: '3 hours',
  heartbeatTimeout: '15 seconds',
  retry,
})

/** Places that one sync looks at together: clouds limit the calls of an account. */
const atOnce = 4
/** No look begins later in a sync. Four calls a minute for so long fit into one workflow's history. */
const maxLookingMs = 12 * 60 * 60 * 1_000
/** Nothing can be looked at with these credentials, so no place is merged. */
const refused = 'cloud_credentials_rejected'

/** Looks at everything that a cloud account has, then merges it place by place. */
export async function syncAccount(input: SyncAccountInput): Promise<void> {
  // A payload without our MAC was dropped before it got here (worker/drop-unmarked.ts).
  if (!Number.isSafeInteger((input as Partial<SyncAccountInput> | undefined)?.syncId))
    throw ApplicationFailure.nonRetryable('refused: the input is not ours', 'bad_input')
  try {
    const { placeIds } = await listPlaces(input)
    const left = [...placeIds]
    const endsAtMs = Date.now() + maxLookingMs
    const lookAtNext = async (): Promise<void> => {
      const placeId = left.shift()
      if (placeId === undefined) return
      await orUnmerged(lookUntilDone({ ...input, placeId }, endsAtMs))
      return lookAtNext()
    }
    await Promise.all(Array.from({ length: atOnce }, lookAtNext))
    // All looks first: what one place no longer lists may be listed by another.
    for (const placeId of placeIds) await orUnmerged(mergePlace({ ...input, placeId }))
    await endSync(input)
  } catch (error) {
    await endSync({ ...input, code: codeOf(error) })
  }
}

async function lookUntilDone(input: SyncPlaceInput, endsAtMs: number): Promise<void> {
  while (Date.now() < endsAtMs) if ((await lookAtPlace(input)) !== 'more') return
}

/** A place that failed for good stays unmerged, and the end of the sync names it. */
async function orUnmerged(work: Promise<void>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (codeOf(error) === refused) throw error
  }
}
