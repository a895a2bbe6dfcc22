import type { PlatformDb } from '../driver/connect.ts'

/** Organizations with artifacts whose sweep is due: once a day. */
export async function dueSweeps(
  db: PlatformDb,
  limit: number,
): Promise<Array<{ organizationId: number }>> {
  const { rows } = await db.raw(
    `select b.organization_id as "organizationId"
     from artifact_blobs b
       left join artifact_sweeps s on s.organization_id = b.organization_id
     where s.swept_at is null or s.swept_at < now() - interval '1 day'
     group by b.organization_id order by 1 limit ?`,
    [limit],
  )
  return rows
}

/** Bytes that may be removed now. */
export async function removableBlobs(
  db: PlatformDb,
  limit: number,
): Promise<Array<{ organizationId: number; digest: string }>> {
  const { rows } = await db.raw(
    `select organization_id as "organizationId", digest from artifact_blobs
     where removable_at <= now()
       and (removing_at is null or removing_at < now() - interval '2 minutes')
     order by removable_at limit ?`,
    [limit],
  )
  return rows
}
