import type { PlatformDb } from '../driver/connect.ts'

/** An ingest swaps slice after slice: its months are merged once, when it is over. */
const quietSeconds = 5

/** Organizations whose cost changed since its months were merged, in random order as those of untidied-resources.ts. */
export async function unmergedCosts(db: PlatformDb, limit: number): Promise<number[]> {
  const { rows } = await db.raw(
    `select organization_id as id from cost_versions
     where merged_version < version and changed_at < now() - make_interval(secs => ?)
     order by random() limit ?`,
    [quietSeconds, limit],
  )
  return rows.map(({ id }: { id: number }) => id)
}
