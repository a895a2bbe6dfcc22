import type { PlatformDb } from '../driver/connect.ts'
import { expectedBills, isLateSource } from '../finops/source-health.ts'

/** Sources whose bill became late, or is late no more, and that is not noted yet. */
export async function changedLateSources(
  db: PlatformDb,
  limit: number,
): Promise<Array<{ organizationId: number; sourceId: number }>> {
  const { rows } = await db.raw(changed, [limit])
  return rows
}

const changed = `
  select b.organization_id as "organizationId", b.id as "sourceId"
  from ${expectedBills} join organizations o on o.id = b.organization_id and o.status = 'active'
  where b.removed_at is null and ${isLateSource} <> (b.late_since is not null)
  order by row_number() over (partition by b.organization_id order by b.id), b.id limit ?`
