import type { Static } from 'typebox'
import { notFound } from '../../domain/errors.ts'
import { presentPlan } from '../../domain/plans/present-plan.ts'
import { auditEntriesOf } from '../../store/audit/audit-entries.ts'
import { plans } from '../../store/pipelines/plans.ts'
import type { Deps } from '../deps.ts'
import { presentRuns, type RunPlace } from './present-runs.ts'
import type { RunDetail } from './schemas.ts'

/** One run with its plan by resource, sensitive values masked, and everything that was done to it in order. */
export async function runDetail(
  deps: Deps,
  organizationId: number,
  place: RunPlace,
): Promise<Static<typeof RunDetail>> {
  const { store, keyring } = deps
  const runId = place.workspaceRunId
  const { body, stored, entries } = await store.tenant(organizationId, async (db) => ({
    body: (await presentRuns(db, organizationId, { runIds: [runId], places: [place] }))[0],
    stored: await plans(db, organizationId).shown(runId),
    entries: await auditEntriesOf(db, organizationId, { kind: 'run', id: String(runId) }),
  }))
  if (!body) throw notFound()
  const at = { organizationId, table: 'plans', column: 'plan_json' }
  const plan = stored
    ? presentPlan(JSON.parse(keyring.open(at, stored.planJson).toString()), {
        sensitiveVariables: stored.sensitiveVariables,
      })
    : null
  return {
    ...body,
    plan,
    timeline: entries.map((entry) => ({
      at: entry.at.toISOString(),
      event: entry.event,
      actor: entry.actorLabel,
      detail: entry.detail,
    })),
  }
}
