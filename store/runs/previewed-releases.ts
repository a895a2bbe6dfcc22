import type { Strategy } from '../../domain/manifest/resolve-strategy.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

/** A run whose deployment has a strategy, with what its preview is made of. */
export type PreviewedRelease = {
  runId: number
  targetWorkspaceId: number
  strategy: Strategy
  /** The run whose manifest the release has: the one that built its artifact. */
  manifestRunId: number
  manifestBytes: number
}

/** Of these runs, the newest first, in one statement. A manifest's length is read without the manifest. */
export async function previewedReleases(
  tenant: Tenant,
  runIds: readonly number[],
): Promise<PreviewedRelease[]> {
  if (runIds.length === 0) return []
  const { db, organizationId } = unwrap(tenant)
  const { rows } = await db.raw(
    `select a.pipeline_run_id as "runId", a.target_workspace_id as "targetWorkspaceId",
       a.resolved_strategy as strategy,
       case when b.manifest is null then a.pipeline_run_id else b.pipeline_run_id end as "manifestRunId",
       coalesce(octet_length(coalesce(b.manifest, a.manifest)), 0) as "manifestBytes"
     from application_runs a
       left join application_runs b on b.organization_id = a.organization_id
         and b.pipeline_run_id = a.artifact_run_id
     where a.organization_id = ? and a.pipeline_run_id = any(?::integer[])
       and a.target_workspace_id is not null and a.resolved_strategy is not null
     order by a.pipeline_run_id desc`,
    [organizationId, [...runIds]],
  )
  return rows
}

/** The manifests of these runs by the run's id. */
export async function manifestsOf(
  tenant: Tenant,
  runIds: readonly number[],
): Promise<Map<number, string>> {
  if (runIds.length === 0) return new Map()
  const { db, organizationId } = unwrap(tenant)
  const { rows } = await db.raw<{ rows: Array<{ id: number; manifest: string | null }> }>(
    `select pipeline_run_id as id, manifest from application_runs
     where organization_id = ? and pipeline_run_id = any(?::integer[])`,
    [organizationId, [...runIds]],
  )
  return new Map(rows.map(({ id, manifest }) => [id, manifest ?? '']))
}
