import type { Db } from '../connect.ts'

export type WorkspaceName = { id: number; name: string; criticality: 'standard' | 'production' }

/** The names of workspaces, for lists of other things. */
export async function namesOfWorkspaces(
  db: Db,
  organizationId: number,
  ids: readonly number[],
): Promise<Map<number, WorkspaceName>> {
  if (ids.length === 0) return new Map()
  const rows: WorkspaceName[] = await db('workspaces')
    .where({ organizationId })
    .whereIn('id', [...ids])
    .select('id', 'name', 'criticality')
  return new Map(rows.map((row) => [row.id, row]))
}
