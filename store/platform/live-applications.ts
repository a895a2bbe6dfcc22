import { startPending } from '../outbox/start-pending.ts'
import type { ApplicationPhase } from '../../domain/pipelines/application-state.ts'
import type { PlatformDb } from '../driver/connect.ts'

export type LiveApplication = {
  organizationId: number
  pipelineRunId: number
  phase: ApplicationPhase
  /** Whether the start of its workflow is still in the outbox. */
  startPending: boolean
}

/** Runs of applications that should have a workflow, oldest first, for the reconciler. */
export async function liveApplications(
  db: PlatformDb,
  { after, limit }: { after: number; limit: number },
): Promise<LiveApplication[]> {
  const { rows } = await db.raw(
    `select a.organization_id as "organizationId", a.pipeline_run_id as "pipelineRunId", a.phase,
       ${startPending(`'org-' || a.organization_id || '/app-run/' || a.pipeline_run_id`)}
         as "startPending"
     from application_runs a
     where a.phase in ('queued', 'sourcing', 'building', 'awaiting_approval', 'deploy_queued', 'deploying',
       'rolling_back') and a.pipeline_run_id > ?
       and coalesce(a.started_at, a.created_at) < now() - interval '10 seconds'
     order by a.pipeline_run_id limit ?`,
    [after, limit],
  )
  return rows
}
