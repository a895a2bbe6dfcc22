import { unwrap, type Tenant } from '../driver/tenant.ts'

/** What is signed of a run's release, and what the store says of it. */
export type SignedRelease = {
  /** The organization's public id. */
  organization: string
  /** The run that built the artifact. */
  artifactRunId: number
  /** The signed bundle; null before it is signed, and once the artifact was swept. */
  provenance: unknown
  digest: string
  contentDigest: string
  /** YAML, of the run that built the artifact. */
  manifest: string | null
}

/** Undefined without an artifact. */
export async function signedRelease(
  tenant: Tenant,
  runId: number,
): Promise<SignedRelease | undefined> {
  const { db, organizationId } = unwrap(tenant)
  const { rows } = await db.raw(
    `select o.public_id as organization, f.pipeline_run_id as "artifactRunId", f.provenance, f.digest,
       f.content_digest as "contentDigest", coalesce(b.manifest, a.manifest) as manifest
     from application_runs a
       join organizations o on o.id = a.organization_id
       join artifacts f on f.organization_id = a.organization_id
         and f.pipeline_run_id = coalesce(a.artifact_run_id, a.pipeline_run_id)
       left join application_runs b on b.organization_id = a.organization_id
         and b.pipeline_run_id = a.artifact_run_id
     where a.organization_id = ? and a.pipeline_run_id = ?`,
    [organizationId, runId],
  )
  return rows[0]
}
