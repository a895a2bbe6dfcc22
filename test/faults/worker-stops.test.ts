import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { processesOf, tofuBelow, type Processes } from '../harness/processes.ts'
import { linesOf, startRun } from '../harness/runs.ts'
import type { TestOrganization } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { slowApply, slowPlan } from './configurations.ts'
import { expectNothingHeld, isTerminalRow, rowOf, rowUntil, until } from './run-rows.ts'

// A worker is told to stop (SIGTERM, as by a deployment or Ctrl-C). It may finish a running apply
// within its grace period, and leaves a plan to the next worker.
let harness: Harness
let patient: Processes
let hasty: Processes
let org: TestOrganization
let owner: TestUser
beforeAll(async () => {
  harness = await createHarness()
  patient = await processesOf(harness, { CC_SHUTDOWN_GRACE_SECONDS: '60' })
  await patient.startApi()
  hasty = await processesOf(harness, { CC_SHUTDOWN_GRACE_SECONDS: '1', CC_API_URL: patient.apiUrl })
  org = await harness.organization()
  owner = await org.user('Owner')
})
afterAll(async () => {
  await hasty.close()
  await patient.close()
  await harness.close()
})

const says = async (
  place: Parameters<typeof linesOf>[1],
  id: number,
  stage: string,
  text: string,
) => (await linesOf(owner, place, { id, stage })).some((line) => line.includes(text))

test('SIGTERM: a running apply succeeds, the next worker makes the plan again, nothing new starts', async () => {
  const worker = await patient.startWorker()
  const applied = await org.workspace({ by: owner, files: slowApply(12) })
  const applying = await startRun(owner, applied)
  await until('it applies', async () => says(applied, applying.id, 'apply', 'slow: Creating'))
  const planned = await org.workspace({ by: owner, files: slowPlan(300) })
  const planning = await startRun(owner, planned)
  await until('both run tofu', () => tofuBelow(worker.pid).length >= 2)

  const stopped = worker.stop(90_000)
  await until('it says why it takes its time', () =>
    worker.said().includes('let finish: 1 under way'),
  )
  expect(tofuBelow(worker.pid)).toHaveLength(1)
  const late = await startRun(owner, await org.workspace({ by: owner }))
  await stopped

  const row = await rowOf(harness, applying.id)
  expect(row, String(row.message)).toMatchObject({
    phase: 'succeeded',
    attempts: 1,
    finalized: 1,
    needsRefresh: false,
  })
  expectNothingHeld(row)
  for (const { id } of [planning, late])
    expect(await rowOf(harness, id)).toMatchObject({ phase: 'planning', attempts: 0 })

  const next = await patient.startWorker()
  for (const { id } of [planning, late])
    expect(await rowUntil(harness, id, { when: isTerminalRow })).toMatchObject({
      phase: 'succeeded',
      attempts: 1,
    })
  await next.stop()
})

test('SIGTERM: an apply is interrupted after the grace period: failed, runner_lost, needs a refresh', async () => {
  const worker = await hasty.startWorker()
  const workspace = await org.workspace({ by: owner, files: slowApply(300) })
  const { id } = await startRun(owner, workspace)
  await until('it applies', async () => says(workspace, id, 'apply', 'slow: Creating'))
  await worker.stop(60_000)
  const next = await hasty.startWorker()
  const row = await rowUntil(harness, id, { when: isTerminalRow })
  expect(row).toMatchObject({
    phase: 'failed',
    reason: 'runner_lost',
    attempts: 1,
    needsRefresh: true,
  })
  expectNothingHeld(row)
  await next.stop()
})

test('SIGTERM of several workers in turn: the plan is still made, and none counts as lost', async () => {
  const workspace = await org.workspace({ by: owner, files: slowPlan(300) })
  const { id } = await startRun(owner, workspace)
  for (let stop = 1; stop <= 3; stop += 1) {
    const worker = await hasty.startWorker()
    await until('it plans', () => tofuBelow(worker.pid).length > 0)
    await worker.stop(60_000)
  }
  const last = await hasty.startWorker()
  const row = await rowUntil(harness, id, { when: isTerminalRow })
  expect(row, String(row.message)).toMatchObject({ phase: 'succeeded', attempts: 1 })
  await last.stop()
})

test('a second signal ends the worker at once: the interrupted apply ends as runner_lost', async () => {
  const worker = await patient.startWorker()
  const workspace = await org.workspace({ by: owner, files: slowApply(300) })
  const { id } = await startRun(owner, workspace)
  await until('it applies', async () => says(workspace, id, 'apply', 'slow: Creating'))
  const stopped = worker.stop(90_000)
  await until('it says why it takes its time', () => worker.said().includes('a second Ctrl-C'))
  const since = Date.now()
  process.kill(worker.pid, 'SIGINT')
  await stopped
  // The grace period is a minute, the apply takes five.
  expect(Date.now() - since).toBeLessThan(20_000)
  await patient.startWorker()
  expect(await rowUntil(harness, id, { when: isTerminalRow })).toMatchObject({
    phase: 'failed',
    reason: 'runner_lost',
    needsRefresh: true,
  })
})
