import type { Db } from '../connect.ts'
import { sealedBatches } from '../sealed-batches.ts'

/** The rows of each run's plan (domain/plans/split-plan.ts). */
export const planChanges = (db: Db, organizationId: number) =>
  sealedBatches(db, organizationId, { table: 'plan_changes', owner: 'workspaceRunId' })
