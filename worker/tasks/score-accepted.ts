import type { Deps } from '../../activities/deps.ts'
import { evaluateBudgets } from '../../app/finops/evaluate-budgets.ts'
import { scoreIngested, scoreScopesOfIngest } from '../../app/finops/score-ingested.ts'
import { eachByItself } from '../../app/platform/each-by-itself.ts'
import type { Store } from '../../store/driver/connect.ts'
import { sliceDecisions } from '../../store/finops/slice-decisions.ts'
import { claimSlicesToScore, type SliceToScore } from '../../store/platform/slices-to-score.ts'
import type { RecurringTask } from '../run-tasks.ts'

const maxSlices = 20
const task = 'score-accepted'

/**
 * Does for a bill that a person accepted what the end of an ingest does for others: looks for anomalies in it, and
 * at the budgets. Not in the request, since a bill may have thousands of series.
 */
export const scoreAcceptedTask = ({ store, log }: Pick<Deps, 'store' | 'log'>): RecurringTask => ({
  name: task,
  everyMs: 2_000,
  async run() {
    const claimed = await claimSlicesToScore(store.platform, maxSlices)
    await eachByItself(claimed, {
      task,
      log,
      atOnce: 2,
      work: async (slice) => score(store, slice),
    })
    return claimed.length === maxSlices ? 'more' : 'done'
  },
})

/** Idempotent; the note of it is deleted last. */
async function score(store: Store, { sliceId, claimedUntil, ...at }: SliceToScore): Promise<void> {
  const { organizationId } = at
  await scoreIngested(store, at)
  await scoreScopesOfIngest(store, at)
  await store.tenant(organizationId, evaluateBudgets)
  await store.tenant(organizationId, async (tenant) =>
    sliceDecisions(tenant).endScore(sliceId, claimedUntil),
  )
}
