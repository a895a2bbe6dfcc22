import type { Db } from '../connect.ts'

/** Whether the organization may work, or is suspended. */
export async function isActive(db: Db, organizationId: number): Promise<boolean> {
  const row = await db('organizations').where({ id: organizationId }).first('status')
  return row?.status === 'active'
}
