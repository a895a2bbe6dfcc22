import { packRows } from '../../../domain/infrastructure/pack-rows.ts'
import { splitPlan } from '../../../domain/infrastructure/split-plan.ts'
import { sealBatch } from '../../../gateways/keyring/sealed-rows.ts'
import { planChanges } from '../../../store/infrastructure/plan-changes.ts'
import { plans } from '../../../store/infrastructure/plans.ts'
import type { Harness } from '../../harness/create-harness.ts'

/** Stores a plan of a run without a worker, as an activity records it. */
export async function recordedPlan(
  { deps: { store, keyring } }: Harness,
  { organizationId, workspaceRunId }: { organizationId: number; workspaceRunId: number },
  planJson: unknown,
): Promise<void> {
  const split = splitPlan(planJson)
  await store.tenant(organizationId, async (tenant) => {
    await plans(tenant).save({
      workspaceRunId,
      attempt: 'test',
      // Readers do not open the plan file.
      pieces: {},
      engineVersion: '1.12.6',
      configurationSha256: '',
      variablesMac: '',
      stateLineage: null,
      stateSerial: null,
      policiesVersion: '',
      pricesVersion: '',
      sensitiveVariables: [],
      overview: split.overview,
      resourceTypes: split.resourceTypes,
      budgetReach: [],
      estimate: null,
    })
    const place = { organizationId, table: 'plan_changes', ownerId: workspaceRunId }
    const rows = [...packRows(split.rows)].map((packed) => sealBatch(keyring, place, packed))
    await planChanges(tenant, { workspaceRunId, attempt: 'test' }).add(rows)
  })
}
