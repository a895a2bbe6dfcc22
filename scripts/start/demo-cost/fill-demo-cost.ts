import type { Deps } from '../../../api/deps.ts'
import type { Caller } from '../../../domain/access/caller.ts'
import { dateBackRun } from './date-back-run.ts'
import { makeDemoBudgets } from './demo-budgets.ts'
import { uploadDemoBills } from './upload-demo-bills.ts'

type Filling = { owner: Caller; anchor: string; today: string; signal: AbortSignal }

/**
 * The bills of the clouds that no run of the demo explains. They are read while the demo's runs are made.
 */
export async function fillOtherClouds(deps: Deps, filling: Filling): Promise<void> {
  for (const cloud of ['azure', 'gcp'] as const) await uploadDemoBills(deps, filling, cloud)
}

/**
 * Budgets, the run that is the cause of an anomaly, and the bill that shows it: in this order, for the end
 * of the ingest evaluates budgets and looks for causes.
 */
export async function fillShopsCloud(deps: Deps, filling: Filling, shopId: number): Promise<void> {
  const { owner, anchor, today } = filling
  await dateBackRun(deps, owner, { workspaceId: shopId, anchor })
  await makeDemoBudgets(deps, owner, { anchor, today, shopId })
  await uploadDemoBills(deps, filling, 'aws')
}
