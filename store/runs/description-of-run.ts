import { unwrap, type Tenant } from '../driver/tenant.ts'

export type ToDescribe = {
  digest: string
  /** The build fails without a bill of materials. */
  isRequired: boolean
  /** `<organization>/<pipeline>`: the name in the documents. */
  name: string
  buildStageId: number
}

/** What is to be described of a run that is still building; undefined where that was done, or it is over. */
export async function descriptionOfRun(
  tenant: Tenant,
  pipelineRunId: number,
): Promise<ToDescribe | undefined> {
  const { db, organizationId } = unwrap(tenant)
  const { rows } = await db.raw(
    `select f.digest, p.sbom = 'required' as "isRequired", o.slug || '/' || p.name as name,
       (select s.id from stages s where s.organization_id = a.organization_id
         and s.pipeline_run_id = a.pipeline_run_id and s.name = 'build') as "buildStageId"
     from artifacts f
       join application_runs a
         on a.organization_id = f.organization_id and a.pipeline_run_id = f.pipeline_run_id
       join pipeline_runs r on r.organization_id = a.organization_id and r.id = a.pipeline_run_id
       join pipelines p on p.organization_id = a.organization_id and p.id = r.pipeline_id
       join organizations o on o.id = a.organization_id
     where f.organization_id = ? and f.pipeline_run_id = ? and a.phase = 'building'
       and f.described_at is null and f.swept_at is null`,
    [organizationId, pipelineRunId],
  )
  return rows[0]
}
