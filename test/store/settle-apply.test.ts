import { afterAll, beforeAll, expect, test } from 'vitest'
import { settleApply } from '../../store/infrastructure/settle-apply.ts'
import { workspaceRuns } from '../../store/runs/workspace-runs.ts'
import { attemptOfAnother, fenceOf } from '../faults/attempt-of-another.ts'
import { rowOf } from '../faults/run-rows.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { startRun } from '../harness/runs.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

test('the end of an apply ends the attempt with its own fencing number, and no later one', async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const { id } = await startRun(owner, await org.workspace({ by: owner }))
  await attemptOfAnother(harness, id, new Date())
  const { fence } = await fenceOf(harness, id)
  const settle = async (by: number) => {
    await harness.deps.store.tenant(org.id, async (tenant) =>
      settleApply(tenant, await workspaceRuns(tenant).get(id), { isApplied: false, fence: by }),
    )
    return (await rowOf(harness, id)).attemptEndedAt
  }
  expect(await settle(fence - 1)).toBeNull()
  expect(await settle(fence)).toBeInstanceOf(Date)
})
