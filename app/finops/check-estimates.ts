import { judgeEstimate } from '../../domain/finops/estimates/judge-estimate.ts'
import type { Store } from '../../store/driver/connect.ts'
import { billedChanges } from '../../store/finops/billed-changes.ts'
import { freshness } from '../../store/finops/cost/freshness.ts'
import { estimateChecks } from '../../store/finops/estimate-checks.ts'
import { organizationSettings } from '../../store/organizations/settings.ts'

/** Runs that are looked for on the bills together: each has up to 1,000 resources. */
const maxRuns = 20

/**
 * Holds the estimates of applied plans against the bills, 7 and 30 days after the apply, once all bills are
 * complete through that day. The next call goes on, so that no organization holds the others up. Each batch is a
 * transaction of its own, of which an organization has one at a time; a repeated one adds nothing.
 */
export async function checkEstimates(
  store: Store,
  organizationId: number,
  maxBatches = 3,
): Promise<void> {
  for (let left = maxBatches; left > 0; left -= 1) {
    const checked = await store.tenant(organizationId, async (tenant) => {
      const checks = estimateChecks(tenant)
      // Another worker is at it: both would read the same charges.
      if (!(await checks.claim())) return 0
      const { completeThrough: through } = await freshness(tenant)
      if (through === null) return 0
      const due = await checks.due(through, maxRuns)
      const { currency } = await organizationSettings(tenant)
      // An estimate in the currency of before cannot be compared.
      const asked = due
        .filter((run) => run.currency === currency)
        .map(({ estimate, ...run }) => ({ ...run, resources: estimate.resources }))
      const billed = await billedChanges(tenant, asked, currency)
      for (const { estimate, ...run } of due) {
        const own = billed.filter(
          ({ workspaceRunId, checkedAfter }) =>
            workspaceRunId === run.workspaceRunId && checkedAfter === run.afterDays,
        )
        await checks.add(run, judgeEstimate(estimate, own))
      }
      return due.length
    })
    if (checked < maxRuns) return
  }
}
