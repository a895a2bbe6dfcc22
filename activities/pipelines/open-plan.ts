import type { Db } from '../../store/connect.ts'
import { plans, type StoredPlan } from '../../store/pipelines/plans.ts'
import type { Deps } from '../deps.ts'

export type OpenedPlan = {
  row: StoredPlan
  planFile: Buffer
  lockFile: Buffer | null
  modules: Buffer | null
  planJson: unknown
}

/** A run's stored plan, opened with the keyring. */
export async function openPlan(
  { keyring }: Deps,
  db: Db,
  { organizationId, runId }: { organizationId: number; runId: number },
): Promise<OpenedPlan | undefined> {
  const row = await plans(db, organizationId).get(runId)
  if (!row) return undefined
  const open = (column: string, sealed: Buffer) =>
    keyring.open({ organizationId, table: 'plans', column }, sealed)
  return {
    row,
    planFile: open('plan_file', row.planFile),
    lockFile: row.lockFile ? open('lock_file', row.lockFile) : null,
    modules: row.modules ? open('modules', row.modules) : null,
    planJson: JSON.parse(open('plan_json', row.planJson).toString()),
  }
}
