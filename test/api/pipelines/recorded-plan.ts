import { splitPlan } from '../../../domain/plans/split-plan.ts'
import { sealRows } from '../../../gateways/keyring/sealed-rows.ts'
import { planChanges } from '../../../store/pipelines/plan-changes.ts'
import { plans } from '../../../store/pipelines/plans.ts'
import type { Harness } from '../../harness/create-harness.ts'

/** Stores a plan of a run that no worker took up, as the plan's recording does. */
export async function recordedPlan(
  { deps: { store, keyring } }: Harness,
  { organizationId, runId }: { organizationId: number; runId: number },
  planJson: unknown,
): Promise<void> {
  const seal = (column: string, text: string) =>
    keyring.seal({ organizationId, table: 'plans', column }, text)
  const split = splitPlan(planJson)
  await store.tenant(organizationId, async (db) => {
    await plans(db, organizationId).save({
      workspaceRunId: runId,
      planFile: seal('plan_file', 'no plan file'),
      lockFile: null,
      modules: null,
      planJson: seal('plan_json', 'nothing that a reader asks for opens this'),
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
    })
    const place = { organizationId, table: 'plan_changes', ownerId: runId }
    await planChanges(db, organizationId).replace(runId, sealRows(keyring, place, split.rows))
  })
}
