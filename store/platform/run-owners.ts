import type { PlatformDb } from '../connect.ts'

/** Whose run it is. An activity takes the organization from here, never from its argument (temporal.md 0.7). */
export async function organizationOfRun(
  db: PlatformDb,
  runId: number,
): Promise<number | undefined> {
  const row = await db('workspace_runs').where({ id: runId }).first('organizationId')
  return row?.organizationId
}
