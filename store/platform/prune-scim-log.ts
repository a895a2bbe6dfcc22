import { keptScimLogEntries } from '../scim/scim-log.ts'
import type { PlatformDb } from '../driver/connect.ts'

/** Keeps the newest entries of each organization, so that a connector that fails for weeks cannot fill the disk. */
export async function pruneScimLog(db: PlatformDb, kept = keptScimLogEntries): Promise<void> {
  await db.raw(
    `delete from scim_log l using (
       select o.id as organization_id, (select x.id from scim_log x where x.organization_id = o.id
         order by x.id desc offset ? limit 1) as last from organizations o) as k
     where l.organization_id = k.organization_id and l.id <= k.last`,
    [kept],
  )
}
