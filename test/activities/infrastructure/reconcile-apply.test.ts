import { MockActivityEnvironment } from '@temporalio/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Deps } from '../../../activities/deps.ts'
import { reconcileApply } from '../../../activities/infrastructure/reconcile-apply.ts'
import { attemptOfAnother, fenceOf } from '../../faults/attempt-of-another.ts'
import { hold, rowOf, waitsForLock } from '../../faults/run-rows.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { eventually } from '../../harness/eventually.ts'
import { startRun } from '../../harness/runs.ts'

// Of two workers that look up the outcome of an apply, one is late: the other one has settled it, and the run is
// applied again by then.
let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

const applying = async (beatAt: Date) => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const workspace = await org.workspace({ by: owner })
  const { id } = await startRun(owner, workspace)
  await attemptOfAnother(harness, id, beatAt)
  const attempt = () => harness.deps.store.platform('apply_attempts').where({ workspaceRunId: id })
  return { id, workspace, attempt }
}
const reconcile = async (runId: number) =>
  new MockActivityEnvironment({ attempt: 1 }).run(reconcileApply(harness.deps as unknown as Deps), {
    runId,
  })

test('an attempt that was begun anew is not fenced off by who waited for the workspace since before', async () => {
  const { id, workspace, attempt } = await applying(new Date())
  const before = await fenceOf(harness, id)
  const held = await hold(
    harness,
    `select from workspaces where id = ${workspace.id} for no key update`,
  )
  const late = reconcile(id)
  await waitsForLock(harness)
  await attempt().update({ fence: before.fence + 1 })
  await held.release()
  expect(await late).toEqual({ next: 'reconcile' })
  expect(await fenceOf(harness, id)).toEqual(before)
  expect(await rowOf(harness, id)).toMatchObject({ phase: 'applying', attemptEndedAt: null })
})

test('an attempt that was begun since it was fenced off is not ended for the silence of the earlier one', async () => {
  const { id, attempt } = await applying(new Date())
  const before = await fenceOf(harness, id)
  const late = reconcile(id)
  await eventually(async () => (await fenceOf(harness, id)).fence > before.fence)
  // The newer one has a fencing number of its own. That it is silent is for its own worker to settle.
  await attempt().update({ fence: before.fence + 2, beatAt: new Date(0) })
  expect(await late).toEqual({ next: 'reconcile' })
  expect(await rowOf(harness, id)).toMatchObject({
    phase: 'applying',
    attemptEndedAt: null,
    locks: 1,
    needsRefresh: false,
  })
})

test('a run that waits for its apply again is not given back a second time', async () => {
  const { id, attempt } = await applying(new Date())
  const before = await fenceOf(harness, id)
  const late = reconcile(id)
  await eventually(async () => (await fenceOf(harness, id)).fence > before.fence)
  await harness.deps.store
    .platform('workspace_runs')
    .where({ id })
    .update({ phase: 'apply_queued' })
  await attempt().delete()
  expect(await late).toEqual({ next: 'apply' })
  expect(await rowOf(harness, id)).toMatchObject({ phase: 'apply_queued', locks: 1 })
})
