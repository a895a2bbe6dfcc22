import { unwrap, type Tenant } from '../driver/tenant.ts'
import { artifacts, type Artifact } from './artifacts.ts'

export type ArtifactOfRun = {
  /** What it has built, or deploys of another run; null where there is none. */
  artifact: Artifact | null
  manifest: { yaml: string; sha256: string } | null
  pipelineName: string
  number: number
}

/** What a run was built from and made; undefined for a run that is none of an application. */
export async function artifactOfRun(
  tenant: Tenant,
  pipelineRunId: number,
): Promise<ArtifactOfRun | undefined> {
  const { db, organizationId } = unwrap(tenant)
  const { rows } = await db.raw(
    `select p.name as "pipelineName", r.number, a.manifest as yaml, a.manifest_sha256 as sha256
     from application_runs a
       join pipeline_runs r on r.organization_id = a.organization_id and r.id = a.pipeline_run_id
       join pipelines p on p.organization_id = a.organization_id and p.id = r.pipeline_id
     where a.organization_id = ? and a.pipeline_run_id = ?`,
    [organizationId, pipelineRunId],
  )
  const [row] = rows
  if (!row) return undefined
  const { pipelineName, number, yaml, sha256 } = row
  return {
    artifact: (await artifacts(tenant).ofRun(pipelineRunId)) ?? null,
    manifest: yaml === null || sha256 === null ? null : { yaml, sha256 },
    pipelineName,
    number,
  }
}
