import type { ProvenanceFacts } from '../../domain/signing/provenance.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

export type BuiltFacts = Omit<
  ProvenanceFacts,
  'baseUrl' | 'finishedAt' | 'repository' | 'branch' | 'path' | 'variables'
> & {
  sizeBytes: number
  entries: number
  /** As the worker that built it has sealed it. */
  built: Buffer | null
  builtAt: Date
  signedAt: Date | null
  buildStageId: number
}

/** What the provenance of a run's artifact says; undefined where it has none, or it is kept no more. */
export async function factsOfProvenance(
  tenant: Tenant,
  pipelineRunId: number,
): Promise<BuiltFacts | undefined> {
  const { db, organizationId } = unwrap(tenant)
  const { rows } = await db.raw(
    `select json_build_object('slug', o.slug, 'publicId', o.public_id) as organization,
       json_build_object('id', p.id, 'name', p.name) as pipeline,
       a.pipeline_run_id as "runId", a.commit_sha as "commitSha", a.manifest_sha256 as "manifestSha256",
       f.built, f.size_bytes as "sizeBytes", f.entries, f.digest, f.content_digest as "contentDigest", f.created_at as "builtAt", f.signed_at as "signedAt",
       a.started_at as "startedAt",
       (select s.id from stages s where s.organization_id = a.organization_id
         and s.pipeline_run_id = a.pipeline_run_id and s.name = 'build') as "buildStageId"
     from artifacts f
       join application_runs a
         on a.organization_id = f.organization_id and a.pipeline_run_id = f.pipeline_run_id
       join pipeline_runs r on r.organization_id = a.organization_id and r.id = a.pipeline_run_id
       join pipelines p on p.organization_id = a.organization_id and p.id = r.pipeline_id
       join organizations o on o.id = a.organization_id
     where f.organization_id = ? and f.pipeline_run_id = ? and f.swept_at is null`,
    [organizationId, pipelineRunId],
  )
  return rows[0]
}
