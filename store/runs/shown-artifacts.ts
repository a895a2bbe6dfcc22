import { unwrap, type Tenant } from '../driver/tenant.ts'
import { inUse } from './artifact-in-use.ts'
import { deletedDays, newestKept } from './sweep-artifacts.ts'

export type ShownArtifact = {
  runId: number
  digest: string
  contentDigest: string
  sizeBytes: number
  files: number
  /** Null while a rule keeps it at any age; past for one that is kept no more. */
  keptUntil: string | null
  isDescribed: boolean
  hasSpdx: boolean
  hasCyclonedx: boolean
  signed: boolean
}

/** The artifacts of these runs, as they are shown with them. */
export async function shownArtifacts(
  tenant: Tenant,
  { runIds, days }: { runIds: readonly number[]; days: number },
): Promise<Map<number, ShownArtifact>> {
  if (runIds.length === 0) return new Map()
  const { db, organizationId } = unwrap(tenant)
  const { rows } = await db.raw(
    `select a.pipeline_run_id as "runId", f.digest, f.content_digest as "contentDigest",
       f.size_bytes as "sizeBytes", f.entries as files, f.described_at is not null as "isDescribed",
       f.spdx_digest is not null as "hasSpdx", f.cyclonedx_digest is not null as "hasCyclonedx",
       f.signed_at is not null as signed,
       case when f.swept_at is not null then f.swept_at
         when f.pipeline_deleted_at is null and (select count(*) from (select 1 from artifacts n
             join pipeline_runs nr on nr.organization_id = n.organization_id and nr.id = n.pipeline_run_id
           where n.organization_id = f.organization_id and nr.pipeline_id = r.pipeline_id
             and nr.number > r.number and n.swept_at is null limit :newestKept) newer) < :newestKept
           or ${inUse('f')} then null
         when f.pipeline_deleted_at is not null
           then f.pipeline_deleted_at + make_interval(days => :deletedDays)
         else f.created_at + make_interval(days => :days) end as "keptUntil"
     from application_runs a
       join artifacts f
         on f.organization_id = a.organization_id
           and f.pipeline_run_id = coalesce(a.artifact_run_id, a.pipeline_run_id)
       left join pipeline_runs r on r.organization_id = f.organization_id and r.id = f.pipeline_run_id
     where a.organization_id = :organizationId and a.pipeline_run_id = any(:runIds::integer[])`,
    { organizationId, runIds: [...runIds], days, newestKept, deletedDays },
  )
  return new Map(
    rows.map((row: ShownArtifact & { keptUntil: Date | null }) => [
      row.runId,
      { ...row, keptUntil: row.keptUntil?.toISOString() ?? null },
    ]),
  )
}
