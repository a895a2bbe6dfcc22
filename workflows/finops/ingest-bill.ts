import { ApplicationFailure, proxyActivities } from '@temporalio/workflow'
import type { BillingActivities, ControlActivities } from '../../activities/index.ts'
import { codeOf } from '../code-of.ts'
import { billingQueue } from '../platform/contract.ts'
import type { BillInput, Taken } from './contract.ts'

const { endBill } = proxyActivities<ControlActivities>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '200 ms', maximumInterval: '5 seconds' },
})
// Fetching, reading and loading use one folder on one worker's disk, so they are one activity. After a
// crash it goes on with the files that are there, on another worker from the start. An attempt waits for a reader of
// the worker between the two, behind several bills at worst, so its time limit is above that of a slow fetch as a rule.
const { takeBill } = proxyActivities<BillingActivities>({
  taskQueue: billingQueue,
  startToCloseTimeout: '8 hours',
  scheduleToCloseTimeout: '12 hours',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute', maximumAttempts: 25 },
})
// Waits for a reader too: it is next, after the bill that is read, which may take an hour. It comes before bills in the
// queue as well, so that a loaded bill does not wait behind those of all other organizations.
const { swapSlice } = proxyActivities<BillingActivities>({
  taskQueue: billingQueue,
  priority: { priorityKey: 1 },
  startToCloseTimeout: '6 hours',
  scheduleToCloseTimeout: '6 hours',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '500 ms', maximumInterval: '1 minute', maximumAttempts: 25 },
})

/** Reads one bill and puts each of its months in the place of what is there. */
export async function ingestBill(input: BillInput): Promise<Taken['outcome'] | 'failed'> {
  if (!Number.isSafeInteger((input as Partial<BillInput> | undefined)?.sourceId))
    throw ApplicationFailure.nonRetryable('refused: the input is not ours', 'bad_input')
  const { organizationId, ingestId, sourceId } = input
  try {
    const { outcome, sliceIds } = await takeBill(input)
    for (const sliceId of sliceIds) await swapSlice({ organizationId, ingestId, sourceId, sliceId })
    await endBill(input)
    return outcome
  } catch (error) {
    await endBill({ ...input, code: codeOf(error) })
    return 'failed'
  }
}
