import {
  ApplicationFailure,
  continueAsNew,
  executeChild,
  patched,
  proxyActivities,
  workflowInfo,
} from '@temporalio/workflow'
import {
  defineSearchAttributeKey,
  SearchAttributeType,
  TypedSearchAttributes,
} from '@temporalio/common'
import type { CloudActivities, ControlActivities } from '../../activities/index.ts'
import { codeOf } from '../code-of.ts'
import { cloudQueue } from '../platform/contract.ts'
import {
  ingestBillId,
  ingestBillType,
  type BillInput,
  type Discovered,
  type IngestInput,
  type SourceInput,
} from './contract.ts'
import type { ingestBill } from './ingest-bill.ts'

const { nextSources } = proxyActivities<ControlActivities>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '200 ms', maximumInterval: '5 seconds' },
})
// Both score first: thousands of series of a source, then the whole cost and the tags. Time limits are no part of
// what a replay compares, so histories from before they were longer go on.
const { endSource, endIngest } = proxyActivities<ControlActivities>({
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '200 ms', maximumInterval: '5 seconds' },
})
// Lists and reads a few manifests. A cloud that throttles is asked again for an hour, in which looks at other sources
// of the organization may come first.
const { discoverBills } = proxyActivities<CloudActivities>({
  taskQueue: cloudQueue,
  startToCloseTimeout: '5 minutes',
  scheduleToCloseTimeout: '1 hour',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '500 ms', maximumInterval: '1 minute' },
})

/** Sources that one ingest looks at together. */
const atOnce = 4
/** An export that is written anew while it is read is looked at so often in one ingest. */
const maxLooks = 3

/**
 * Looks at the bills of one organization, and reads what changed in a child for each bill. One source
 * that fails does not stop the others. The store knows which sources are left.
 */
export async function ingestBilling(input: IngestInput): Promise<void> {
  // A payload without our MAC was dropped before it got here (worker/drop-unmarked.ts).
  if (!Number.isSafeInteger((input as Partial<IngestInput> | undefined)?.ingestId))
    throw ApplicationFailure.nonRetryable('refused: the input is not ours', 'bad_input')
  // Asked once, so that a run has one answer for all of its bills.
  const areInTurn = patched('bills-in-turn')
  try {
    for (;;) {
      const { sourceIds, billsAtOnce } = await nextSources(input)
      // A run that began without the patch starts its bills at once, whatever a newer worker's `nextSources` says.
      const takeBill = areInTurn ? inTurn(take, billsAtOnce) : take
      if (sourceIds.length === 0) {
        if ((await endIngest(input)).next === 'over') return
        continue
      }
      const left = [...sourceIds]
      const lookAtNext = async (): Promise<void> => {
        // Then the sources that are left wait for the next run of this workflow.
        if (workflowInfo().continueAsNewSuggested) return
        const sourceId = left.shift()
        if (sourceId === undefined) return
        await takeSource({ ...input, sourceId }, takeBill)
        return lookAtNext()
      }
      await Promise.all(Array.from({ length: atOnce }, lookAtNext))
      if (workflowInfo().continueAsNewSuggested) break
    }
  } catch (error) {
    await endIngest({ ...input, code: codeOf(error) })
    return
  }
  await continueAsNew<typeof ingestBilling>(input)
}

async function takeSource(input: SourceInput, takeBill: TakeBill): Promise<void> {
  try {
    for (let look = 0; look < maxLooks; look += 1) {
      const found = await discoverBills(input)
      const outcomes = await Promise.all(slicesOf(input, found).map(async (bill) => takeBill(bill)))
      // One after the other: two of them may hold the same month, and the newest one stays.
      for (const bill of uploadsOf(input, found)) await takeBill(bill)
      if (!outcomes.includes('changed')) break
    }
    await endSource(input)
  } catch (error) {
    await endSource({ ...input, code: codeOf(error) })
  }
}

type Bill = { input: BillInput; summary: string }
type TakeBill = (bill: Bill) => Promise<string>

/**
 * Takes so many bills at once, in the order of the calls. The places that all workers have for bills are shared by
 * all organizations, and one whose storages are slow would hold them all.
 */
function inTurn(takeBill: TakeBill, atOnce: number | undefined): TakeBill {
  // `nextSources` was answered by a worker of an earlier version.
  if (atOnce === undefined) return takeBill
  let running = 0
  const waiting: Array<() => void> = []
  return async (bill) => {
    if (running < atOnce) running += 1
    else await new Promise<void>((begin) => waiting.push(begin))
    try {
      return await takeBill(bill)
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}

function slicesOf(input: SourceInput, { accountId, sliceIds, months }: Discovered): Bill[] {
  return sliceIds.map((sliceId, at) => {
    const month = String(months[at] ?? '')
    const period = `${month.slice(0, 4)}-${month.slice(4)}`
    return {
      input: { ...input, sliceId },
      summary: `cloud account ${accountId}, bill of ${period}`,
    }
  })
}

function uploadsOf(input: SourceInput, { uploadIds }: Discovered): Bill[] {
  return uploadIds.map((uploadId) => ({
    input: { ...input, uploadId },
    summary: `source ${input.sourceId}, upload ${uploadId}`,
  }))
}

const orgId = defineSearchAttributeKey('OrgId', SearchAttributeType.KEYWORD)
const runKind = defineSearchAttributeKey('RunKind', SearchAttributeType.KEYWORD)

/** A child that fails stands for its own bill alone: it has noted why. */
async function take({ input, summary }: Bill): Promise<string> {
  try {
    return await executeChild<typeof ingestBill>(ingestBillType, {
      workflowId: ingestBillId(input),
      args: [input],
      staticSummary: summary,
      typedSearchAttributes: new TypedSearchAttributes([
        { key: orgId, value: `org-${input.organizationId}` },
        { key: runKind, value: 'billing' },
      ]),
    })
  } catch {
    return 'failed'
  }
}
