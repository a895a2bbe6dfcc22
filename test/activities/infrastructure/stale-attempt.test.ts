import { afterAll, beforeAll, expect, test } from 'vitest'
import { endStale } from '../../../activities/infrastructure/begin-apply.ts'
import { recordPlanFailure } from '../../../activities/infrastructure/record-plan.ts'
import { findRun } from '../../../activities/runs/find-run.ts'
import { attemptOfAnother } from '../../faults/attempt-of-another.ts'
import { rowOf } from '../../faults/run-rows.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { startRun } from '../../harness/runs.ts'

// A worker that lost its link to Temporal goes on with a step that Temporal gave to another worker.
let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

const runAppliedByAnother = async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const { id } = await startRun(owner, await org.workspace({ by: owner }))
  const { platform } = harness.deps.store
  await platform('workspace_runs').where({ id }).update({ phase: 'planning' })
  const found = await findRun(harness.deps, id)
  await attemptOfAnother(harness, id, new Date())
  return { id, found }
}

test('a plan that fails late does not end the run that another worker applies', async () => {
  const { id, found } = await runAppliedByAnother()
  for (const reason of ['plan_errored', 'canceled_by_user'] as const)
    await recordPlanFailure(harness.deps, found, { reason, message: 'late' })
  expect(await rowOf(harness, id)).toMatchObject({ phase: 'applying', locks: 1 })
})

test('an attempt that finds no plan does not end the run that another worker applies', async () => {
  const { id, found } = await runAppliedByAnother()
  await harness.deps.store.tenant(found.organizationId, async (tenant) =>
    endStale(tenant, found, 'the plan is gone'),
  )
  expect(await rowOf(harness, id)).toMatchObject({ phase: 'applying', locks: 1 })
})
