import type { Static } from 'typebox'
import type { Caller } from '../../domain/access/caller.ts'
import { notFound } from '../../domain/errors.ts'
import { anomaliesOfRun } from '../../store/finops/anomalies-of-run.ts'
import { auditEntriesOf } from '../../store/audit/audit-entries.ts'
import type { Deps } from '../deps.ts'
import { estimateChecks } from '../../store/finops/estimate-checks.ts'
import { presentEstimate } from './present-estimate.ts'
import { presentPlanPage, readPlanPage } from '../infrastructure/plan-page.ts'
import { presentRuns, type RunPlace } from './present-runs.ts'
import type { RunDetail } from './schemas.ts'

/** One run with the first page of its plan and its timeline. */
export async function runDetail(
  deps: Deps,
  caller: Caller,
  place: RunPlace,
): Promise<Static<typeof RunDetail>> {
  const { organizationId } = caller
  const workspaceRunId = place.workspaceRunId
  const { body, plan, checks, entries, anomalies } = await deps.store.tenant(
    organizationId,
    async (tenant) => ({
      body: (
        await presentRuns(tenant, caller, { workspaceRunIds: [workspaceRunId], places: [place] })
      )[0],
      plan: await readPlanPage(deps, tenant, {
        workspaceRunId,
        ...firstPage,
      }),
      anomalies: await anomaliesOfRun(tenant, workspaceRunId),
      checks: await estimateChecks(tenant).ofRun(workspaceRunId),
      entries: await auditEntriesOf(tenant, { kind: 'run', id: String(workspaceRunId) }),
    }),
  )
  if (!body) throw notFound()
  return {
    ...body,
    estimate: presentEstimate(body.cost, checks),
    plan: presentPlanPage(deps.keyring, plan),
    anomalies: anomalies.map(({ impact, ...one }) => ({ ...one, impact: Number(impact) })),
    timeline: entries.map((entry) => ({
      at: entry.at.toISOString(),
      event: entry.event,
      actor: entry.actorLabel,
      detail: entry.detail,
    })),
  }
}

/** No more than a screen shows, since the console polls this. */
const firstPage = { after: 0, limit: 50, maxBytes: 256 * 1_024 }
