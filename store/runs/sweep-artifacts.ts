import { unwrap, type Tenant } from '../driver/tenant.ts'
import { references } from './artifact-blobs.ts'
import { inUse } from './artifact-in-use.ts'

/** The newest artifacts of a pipeline, which are kept at any age. */
export const newestKept = 20
/** Days that the bytes of a deleted pipeline's artifacts are kept. */
export const deletedDays = 30

export type Swept = { artifacts: number; sizeBytes: number }

/**
 * Ends what no rule keeps any more: it is marked, and its bytes may go from then on. The mark comes first,
 * so a process that is killed between the two leaves bytes without a row, which are removed later, and no
 * row without bytes.
 */
export async function sweepArtifacts(tenant: Tenant, days: number): Promise<Swept> {
  const { db, organizationId } = unwrap(tenant)
  const { rows } = await db.raw(
    `with ranked as (
       select a.pipeline_run_id, row_number() over (partition by r.pipeline_id order by r.number desc) as place
       from artifacts a
         left join pipeline_runs r on r.organization_id = a.organization_id and r.id = a.pipeline_run_id
       where a.organization_id = :organizationId and a.swept_at is null),
     ended as (
       update artifacts a
       set swept_at = now(), spdx_digest = null, cyclonedx_digest = null, provenance = null
       from ranked k, artifacts was
       where k.pipeline_run_id = a.pipeline_run_id and was.pipeline_run_id = a.pipeline_run_id
         and a.organization_id = :organizationId and was.organization_id = :organizationId
         and a.swept_at is null
         and case when a.pipeline_deleted_at is null
           then k.place > :newestKept and a.created_at < now() - make_interval(days => :days)
           else a.pipeline_deleted_at < now() - make_interval(days => :deletedDays) end
         and not (${inUse('a')})
       returning a.digest, a.size_bytes, was.spdx_digest, was.cyclonedx_digest)
     select count(*)::integer as artifacts, coalesce(sum(size_bytes), 0)::float8 as "sizeBytes",
       coalesce(array_agg(digest) || array_agg(spdx_digest) || array_agg(cyclonedx_digest), '{}') as digests
     from ended`,
    { organizationId, days, newestKept, deletedDays },
  )
  const { digests, ...swept } = rows[0]
  // Another run can have built the same bytes, so what is still referred to stays.
  await db.raw(
    `update artifact_blobs b set removable_at = now()
     where b.organization_id = ? and b.digest = any(?::text[]) and not exists (${references})`,
    [organizationId, digests],
  )
  return swept
}

/**
 * Notes bytes that nothing refers to: of a deleted pipeline, or of a build that was cut off before its end.
 * They go a month later.
 */
export async function noteUnreferenced(tenant: Tenant): Promise<void> {
  const { db, organizationId } = unwrap(tenant)
  await db.raw(
    `update artifact_blobs b set removable_at = now() + make_interval(days => ?)
     where b.organization_id = ? and b.removable_at is null and b.claimed_at < now() - interval '6 hours'
       and not exists (${references})`,
    [deletedDays, organizationId],
  )
}

/** Compare-and-swap: of several workers one sweeps an organization on a day. */
export async function claimSweep(tenant: Tenant): Promise<boolean> {
  const { db, organizationId } = unwrap(tenant)
  const { rows } = await db.raw(
    `insert into artifact_sweeps as s (organization_id) values (?)
     on conflict (organization_id) do update set swept_at = now()
       where s.swept_at < now() - interval '1 day'
     returning 1`,
    [organizationId],
  )
  return rows.length === 1
}
