import type { ApplicationPhase } from '../../domain/pipelines/application-state.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

/** The runs of a pipeline that have their artifact and are not deploying it yet, oldest first. */
export async function waitingApplications(
  tenant: Tenant,
  pipelineId: number,
): Promise<Array<{ runId: number; phase: ApplicationPhase }>> {
  const { db, organizationId } = unwrap(tenant)
  const { rows } = await db.raw(
    `select a.pipeline_run_id as "runId", a.phase
     from application_runs a
       join pipeline_runs r on r.organization_id = a.organization_id and r.id = a.pipeline_run_id
     where a.organization_id = ? and r.pipeline_id = ?
       and a.phase in ('awaiting_approval', 'deploy_queued')
     order by r.number for update of a`,
    [organizationId, pipelineId],
  )
  return rows
}
