import type { Static } from 'typebox'
import type { Caller } from '../../domain/access/caller.ts'
import { notFound } from '../../domain/errors.ts'
import { anomaliesOfRun } from '../../store/finops/anomalies-of-run.ts'
import { auditEntriesOf } from '../../store/audit/audit-entries.ts'
import type { SecretSearch } from '../../domain/secrets/secret-search.ts'
import type { Deps } from '../deps.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { estimateChecks } from '../../store/finops/estimate-checks.ts'
import { presentEstimate } from './present-estimate.ts'
import { presentPlanPage, readPlanPage } from '../infrastructure/plan-page.ts'
import { runComments } from '../../store/runs/run-comments.ts'
import { presentRuns, type RunPlace } from './present-runs.ts'
import type { RunBody } from './schemas.ts'
import { runDiagnostics } from './run-diagnostics.ts'
import type { RunDetail } from './run-detail-schema.ts'
import { triesOfApplication, triesOfRun } from '../../store/runs/tries-of-run.ts'
import { stateVersions } from '../../store/workspaces/state-versions.ts'

/** One run with the first page of its plan and its timeline. */
export async function runDetail(
  deps: Deps,
  caller: Caller,
  find: (tenant: Tenant) => Promise<RunPlace>,
): Promise<Static<typeof RunDetail>> {
  const { body, planned, ended, entries, tries, commentCount } = await deps.store.reading(
    caller.organizationId,
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
      const ended = await readEnded(tenant, place, body)
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
    ...ended,
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

/** Masks what has become sensitive since the gates were judged. */
const coverFindings = (stages: RunBody['stages'], { coverAll }: SecretSearch): RunBody['stages'] =>
  stages.map(({ gates, ...stage }) => ({
    ...stage,
    ...(gates && {
      gates: gates.map((gate) => ({ ...gate, findings: coverAll(gate.findings) as unknown[] })),
    }),
  }))

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

/** What a run of a workspace leaves: read once it is over, since a run that works is polled. */
async function readEnded(
  tenant: Tenant,
  { workspaceRunId }: RunPlace,
  body: RunBody | undefined,
): Promise<Pick<Static<typeof RunDetail>, 'diagnostics' | 'stateVersion'>> {
  if (workspaceRunId === null || !body || body.state === 'running')
    return { diagnostics: [], stateVersion: null }
  const written = await stateVersions(tenant).newestOfRun(workspaceRunId)
  return {
    diagnostics: body.state === 'failed' ? await runDiagnostics(tenant, workspaceRunId) : [],
    stateVersion: written
      ? { serial: written.serial, createdAt: written.createdAt.toISOString() }
      : null,
  }
}

/** No more than a screen shows, since the console polls this. */
const firstPage = { after: 0, limit: 50, maxBytes: 256 * 1_024 }
