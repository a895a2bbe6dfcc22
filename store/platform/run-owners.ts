import type { PlatformDb } from '../driver/connect.ts'

/** The organization of a run. An activity takes it from here, never from its argument (docs/temporal.md). */
export async function organizationOfRun(
  db: PlatformDb,
  runId: number,
): Promise<number | undefined> {
  const row = await db('workspace_runs').where({ id: runId }).first('organizationId')
  return row?.organizationId
}
