import { unwrap, type Tenant } from '../driver/tenant.ts'
import { latestFirst } from '../latest-first.ts'

/**
 * Other pipelines for which an artifact of this pipeline is in use: a run that is not over deploys it; it was
 * deployed last to its target or before that, so that it is what a rollback goes back to; a deployment under way
 * installs it or goes back to it; or it runs on a host by their deployment. Their deployments are deleted with the
 * artifact.
 *
 * Locks the runs that built artifacts until the transaction ends: a run that is just being started by another
 * pipeline holds the one that it refers to.
 */
export async function promotedElsewhere(
  tenant: Tenant,
  pipelineId: number,
): Promise<Array<{ id: number; name: string }>> {
  const { db, organizationId } = unwrap(tenant)
  const at = { organizationId, pipelineId }
  // A statement of its own: the next one sees what was committed while this one waited.
  await db.raw(
    `select 1 from application_runs r
     where r.organization_id = :organizationId and r.pipeline_id = :pipelineId
       and exists (select 1 from artifacts a
         where a.organization_id = r.organization_id and a.pipeline_run_id = r.pipeline_run_id)
     order by r.pipeline_run_id for update`,
    at,
  )
  const { rows } = await db.raw(
    `with built as (
       select a.pipeline_run_id, a.digest from artifacts a
         join application_runs r on r.organization_id = a.organization_id
           and r.pipeline_run_id = a.pipeline_run_id
       where a.organization_id = :organizationId and r.pipeline_id = :pipelineId),
     others as (
       -- The targets of now: a pipeline that was led elsewhere rolls nothing back where it was.
       select distinct d.pipeline_id, d.workspace_id
       from deployments d join built b on b.pipeline_run_id = d.artifact_run_id
         join pipelines t on t.organization_id = d.organization_id and t.id = d.pipeline_id
           and t.target_workspace_id = d.workspace_id
       where d.organization_id = :organizationId and d.pipeline_id <> :pipelineId)
     select p.id, p.name from pipelines p
     where p.organization_id = :organizationId and p.id in (
       select r.pipeline_id from application_runs r join built b on b.pipeline_run_id = r.artifact_run_id
       where r.organization_id = :organizationId and r.pipeline_id <> :pipelineId
         and r.phase not in ('succeeded', 'failed', 'canceled')
       union all
       select o.pipeline_id from others o
         cross join lateral (select d.artifact_run_id from deployments d
           where d.organization_id = :organizationId and d.pipeline_id = o.pipeline_id
             and d.workspace_id = o.workspace_id and d.outcome = 'succeeded'
           order by ${latestFirst('d')} limit 2) good
         join built b on b.pipeline_run_id = good.artifact_run_id
       union all
       select d.pipeline_id from deployments d join built b on b.pipeline_run_id = d.artifact_run_id
       where d.organization_id = :organizationId and d.pipeline_id <> :pipelineId
         and (d.ended_at is null
           or exists (select 1 from deployments live where live.organization_id = d.organization_id
             and live.earlier_run_id = d.pipeline_run_id and live.ended_at is null)
           -- By this deployment: the same bytes may run there by the pipeline that built them. Not every host says which.
           or exists (select 1 from agents g where g.organization_id = d.organization_id
             and g.workspace_id = d.workspace_id and g.release_digest = b.digest and g.deleted_at is null
             and coalesce(g.release_run_id, d.pipeline_run_id) = d.pipeline_run_id)))
     order by p.id`,
    at,
  )
  return rows
}
