import type { Static } from 'typebox'
import type { Caller } from '../../domain/access/caller.ts'
import { notFound } from '../../domain/errors.ts'
import { anomaliesOfRun } from '../../store/finops/anomalies-of-run.ts'
import { auditEntriesOf } from '../../store/audit/audit-entries.ts'
import type { Deps } from '../deps.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
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
  const runId = place.workspaceRunId ?? place.id
  const { body, planned, entries } = await deps.store.tenant(
    caller.organizationId,
    async (tenant) => ({
      body: (await presentRuns(tenant, caller, { places: [place] }))[0],
      planned: await readPlanned(deps, tenant, place),
      entries: await auditEntriesOf(tenant, { kind: 'run', id: String(runId) }),
    }),
  )
  if (!body) throw notFound()
  const { plan, checks, anomalies } = planned
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

/** What a run has because of its plan: nothing, where it is of an application. */
async function readPlanned(deps: Deps, tenant: Tenant, { workspaceRunId }: RunPlace) {
  if (workspaceRunId === null) return { plan: null, checks: [], anomalies: [] }
  return {
    plan: await readPlanPage(deps, tenant, { workspaceRunId, ...firstPage }),
    anomalies: await anomaliesOfRun(tenant, workspaceRunId),
    checks: await estimateChecks(tenant).ofRun(workspaceRunId),
  }
}

/** No more than a screen shows, since the console polls this. */
const firstPage = { after: 0, limit: 50, maxBytes: 256 * 1_024 }
