import type { Static } from 'typebox'
import type { Caller } from '../../domain/access/caller.ts'
import { notFound } from '../../domain/errors.ts'
import { anomaliesOfRun } from '../../store/finops/anomalies-of-run.ts'
import { auditEntriesOf } from '../../store/audit/audit-entries.ts'
import { searchForSecrets } from '../../app/workspaces/secrets-of-workspace.ts'
import type { SecretSearch } from '../../domain/secrets/secret-search.ts'
import type { Deps } from '../deps.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { estimateChecks } from '../../store/finops/estimate-checks.ts'
import { coverFindings } from './cover-findings.ts'
import { presentEstimate } from './present-estimate.ts'
import { presentPlanPage, readPlanPage, type ReadPage } from '../infrastructure/plan-page.ts'
import { runComments } from '../../store/runs/run-comments.ts'
import { presentRuns, type RunPlace } from './present-runs.ts'
import type { RunBody } from './schemas.ts'
import { runDiagnostics } from './run-diagnostics.ts'
import { presentOutcomes } from './run-outcomes.ts'
import { runOutputs } from './run-outputs.ts'
import type { RunDetail } from './run-detail-schema.ts'
import { triesOfApplication, triesOfRun } from '../../store/runs/tries-of-run.ts'
import { stateVersions, type StateVersion } from '../../store/workspaces/state-versions.ts'

/** One run with the first page of its plan and its timeline. */
export async function runDetail(
  deps: Deps,
  caller: Caller,
  find: (tenant: Tenant) => Promise<RunPlace>,
): Promise<Static<typeof RunDetail>> {
  const { organizationId } = caller
  const { body, planned, ended, entries, tries, commentCount } = await deps.store.reading(
    organizationId,
    async (tenant) => {
      const place = await find(tenant)
      const runId = place.workspaceRunId ?? place.id
      const [[body], planned, commentCount, entries, tries] = await Promise.all([
        presentRuns(tenant, caller, { places: [place] }),
        readPlanned(deps, tenant, place),
        runComments(tenant).count(place),
        auditEntriesOf(tenant, { kind: 'run', id: String(runId) }),
        place.workspaceRunId === null
          ? triesOfApplication(tenant, place.id)
          : triesOfRun(tenant, place.workspaceRunId),
      ])
      const ended = await readEnded(deps, tenant, { place, plan: planned.plan, body })
      return { body, planned, ended, commentCount, entries, tries }
    },
  )
  if (!body) throw notFound()
  const { plan, checks, anomalies } = planned
  return {
    ...body,
    stages: plan ? coverFindings(body.stages, plan.search) : body.stages,
    commentCount,
    estimate: presentEstimate(body.cost, {
      checks,
      estimate: plan?.estimate,
      cover: plan?.search.cover,
    }),
    diagnostics: ended.diagnostics,
    stateVersion: ended.written ? presentState(ended.written.version) : null,
    ...(plan && body.state !== 'running'
      ? presentOutcomes(plan.outcomes, plan.search)
      : { outcomes: [], outcomesTruncated: false }),
    ...(ended.written
      ? await runOutputs(deps, organizationId, ended.written)
      : { outputs: [], outputsTruncated: false }),
    plan: presentPlanPage(deps.keyring, plan),
    anomalies: anomalies.map(({ impact, ...one }) => ({ ...one, impact: Number(impact) })),
    tries: tries.map(({ lastAt, ...one }) => ({
      ...one,
      lastAt: lastAt?.toISOString() ?? null,
    })),
    timeline: entries.map((entry) => ({
      at: entry.at.toISOString(),
      event: entry.event,
      actor: entry.actorLabel,
      detail: entry.detail,
    })),
  }
}

const presentState = ({ serial, createdAt }: StateVersion): RunState => ({
  serial,
  createdAt: createdAt.toISOString(),
})

type RunState = NonNullable<Static<typeof RunDetail>['stateVersion']>

/** What a run has because of its plan: nothing, where it is of an application. */
async function readPlanned(deps: Deps, tenant: Tenant, { workspaceRunId }: RunPlace) {
  if (workspaceRunId === null) return { plan: null, checks: [], anomalies: [] }
  const [plan, anomalies, checks] = await Promise.all([
    readPlanPage(deps, tenant, { workspaceRunId, ...firstPage }),
    anomaliesOfRun(tenant, workspaceRunId),
    estimateChecks(tenant).ofRun(workspaceRunId),
  ])
  return { plan, anomalies, checks }
}

type Read = { place: RunPlace; plan: ReadPage | null; body: RunBody | undefined }

/** What the stages that have ended say, and the state that a run has left. */
async function readEnded(
  deps: Deps,
  tenant: Tenant,
  { place: { workspaceRunId }, plan, body }: Read,
): Promise<Ended> {
  if (workspaceRunId === null || !body) return { diagnostics: [], written: undefined }
  const { organizationId } = tenant
  const searchOf = async ({ workspaceId }: { workspaceId: number }) =>
    plan?.search ??
    searchForSecrets(deps, tenant, { organizationId, workspaceId, runId: workspaceRunId })
  const diagnostics = await runDiagnostics(deps, tenant, { workspaceRunId, searchOf })
  // A run that works is polled.
  const version =
    body.state === 'running' ? undefined : await stateVersions(tenant).newestOfRun(workspaceRunId)
  return {
    diagnostics,
    written: version && { version, search: await searchOf(version) },
  }
}

type Ended = {
  diagnostics: Static<typeof RunDetail>['diagnostics']
  written: { version: StateVersion; search: SecretSearch } | undefined
}

/** No more than a screen shows, since the console polls this. */
const firstPage = { after: 0, limit: 50, maxBytes: 256 * 1_024 }
