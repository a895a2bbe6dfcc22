import type { PlatformDb } from '../driver/connect.ts'

/** Organizations whose cost changed since their resources were compared with their bills. In random order, so that some which always fail do not keep the others out. */
export async function untidiedResources(db: PlatformDb, limit: number): Promise<number[]> {
  const { rows } = await db.raw(
    `select organization_id as id from cost_versions where tidied_version < version
     order by random() limit ?`,
    [limit],
  )
  return rows.map(({ id }: { id: number }) => id)
}
