import { unwrap, type Tenant } from '../driver/tenant.ts'

/** The artifact that a run of a workspace deploys. */
export type AddressedArtifact = {
  workspaceRunId: number
  pipelineId: number
  pipelineName: string
  number: number
  artifactRunId: number
  digest: string
  sizeBytes: number
  /** Its bytes are no longer kept. */
  isGone: boolean
  /** Its run began to plan or to apply within the last minutes. */
  isOpen: boolean
}

/** Undefined where no run of a workspace deploys the release of this run. */
export async function addressedRelease(
  tenant: Tenant,
  runId: number,
  { minutes }: { minutes: number },
): Promise<AddressedArtifact | undefined> {
  const { db, organizationId } = unwrap(tenant)
  const { rows } = await db.raw(
    `select d.workspace_run_id as "workspaceRunId", d.pipeline_id as "pipelineId", p.name as "pipelineName",
       r.number, d.artifact_run_id as "artifactRunId", f.digest, f.size_bytes as "sizeBytes",
       f.swept_at is not null as "isGone",
       exists (select from stages s where s.organization_id = d.organization_id
         and s.workspace_run_id = d.workspace_run_id and s.name in ('plan', 'apply')
         and s.started_at > now() - make_interval(mins => ?)) as "isOpen"
     from deployments d
       join artifacts f on f.organization_id = d.organization_id and f.pipeline_run_id = d.artifact_run_id
       join pipeline_runs r on r.organization_id = d.organization_id and r.id = d.pipeline_run_id
       join pipelines p on p.organization_id = d.organization_id and p.id = d.pipeline_id
     where d.organization_id = ? and d.pipeline_run_id = ? and d.workspace_run_id is not null`,
    [minutes, organizationId, runId],
  )
  return rows[0]
}
