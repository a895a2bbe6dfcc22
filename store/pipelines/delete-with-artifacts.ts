import { unwrap, type Tenant } from '../driver/tenant.ts'

/**
 * Deletes a pipeline with its runs and artifacts, but for the artifacts that runs of other pipelines deploy. Those keep
 * who decided what the builds made: the authors of a later promotion, who could otherwise delete the pipeline and
 * approve it.
 */
export async function deleteWithArtifacts(tenant: Tenant, pipelineId: number): Promise<void> {
  const { db, organizationId } = unwrap(tenant)
  const at = { organizationId, pipelineId }
  // A promotion that is being started holds its artifact. The next statements see what was committed while this one
  // waited for it.
  const { rows } = await db.raw<{ rows: Array<{ id: number }> }>(
    `select f.pipeline_run_id as id from artifacts f
     where f.organization_id = :organizationId and f.pipeline_run_id in (
       select unnest(array[r.pipeline_run_id, r.artifact_run_id]) from application_runs r
       where r.organization_id = :organizationId and r.pipeline_id = :pipelineId)
     order by f.pipeline_run_id for update`,
    at,
  )
  await db.raw(
    `update artifacts f
     set pipeline_deleted_at = now(), unknown_author = b.unknown_author, author_user_ids = array(
       select author from (
         select unnest(b.author_user_ids)
         union select b.author_user_id
         union select c.user_id from pipeline_authorship c
           where c.organization_id = b.organization_id and c.pipeline_id = b.pipeline_id and c.part = 'build'
       ) as every (author) where author is not null order by 1)
     from application_runs b
     where f.organization_id = :organizationId and b.organization_id = f.organization_id
       and b.pipeline_run_id = f.pipeline_run_id and b.pipeline_id = :pipelineId
       and exists (select from application_runs o where o.organization_id = f.organization_id
         and o.artifact_run_id = f.pipeline_run_id and o.pipeline_id <> :pipelineId)`,
    at,
  )
  await db('pipelines').where({ organizationId, id: pipelineId }).delete()
  // Also what a pipeline built that was deleted earlier, where only this one deployed it.
  await db.raw(
    `delete from artifacts f
     where f.organization_id = ? and f.pipeline_run_id = any(?::integer[])
       and not exists (select from application_runs b where b.organization_id = f.organization_id
         and b.pipeline_run_id = f.pipeline_run_id)
       and not exists (select from application_runs o where o.organization_id = f.organization_id
         and o.artifact_run_id = f.pipeline_run_id)`,
    [organizationId, rows.map(({ id }) => id)],
  )
}
