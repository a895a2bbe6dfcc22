import { notFound } from '../../domain/errors.ts'
import type { ApplicationPhase } from '../../domain/pipelines/application-state.ts'
import { workingPhases } from '../../domain/runs/run-state.ts'
import type { Store } from '../driver/connect.ts'

export type ApplicationStanding = {
  phase: ApplicationPhase
  /** The organization is not suspended. */
  isActive: boolean
  /** What is known of its artifact; null before there is one. */
  artifact: 'built' | 'described' | null
  approvalExpiresAt: Date | null
  /** Runs of either kind that take one of the organization's places now. */
  working: number
}

/** What decides what comes next for a run of an application. */
export async function standingOfApplication(
  store: Pick<Store, 'read'>,
  organizationId: number,
  pipelineRunId: number,
): Promise<ApplicationStanding> {
  const [row] = await store.read<ApplicationStanding>(organizationId, {
    name: 'standing-of-application',
    text: `select a.phase, a.approval_expires_at as "approvalExpiresAt",
      (select case when f.described_at is null then 'built' else 'described' end from artifacts f
        where f.organization_id = a.organization_id and f.pipeline_run_id = a.pipeline_run_id) as artifact,
      (select o.status = 'active' from organizations o where o.id = a.organization_id) as "isActive",
      (select count(*)::integer from application_runs w where w.organization_id = a.organization_id
        and w.phase in ('sourcing', 'building'))
      + (select count(*)::integer from workspace_runs w where w.organization_id = a.organization_id
        and w.phase in (${workingPhases.map((phase) => `'${phase}'`).join(', ')})) as working
      from application_runs a where a.organization_id = $1 and a.pipeline_run_id = $2`,
    values: [organizationId, pipelineRunId],
  })
  if (!row) throw notFound()
  return row
}

/** What may stop an attempt: another phase, or a later attempt. Undefined for a deleted run. */
export type WatchedApplication = {
  phase: ApplicationPhase
  sourcesBegun: number
  buildsBegun: number
}

export async function watchedApplication(
  store: Pick<Store, 'read'>,
  organizationId: number,
  pipelineRunId: number,
): Promise<WatchedApplication | undefined> {
  const [row] = await store.read<WatchedApplication>(organizationId, {
    name: 'watched-application',
    text: `select phase, sources_begun as "sourcesBegun", builds_begun as "buildsBegun"
      from application_runs where organization_id = $1 and pipeline_run_id = $2`,
    values: [organizationId, pipelineRunId],
  })
  return row
}
