import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { processesOf, tofuBelow, type Process, type Processes } from '../harness/processes.ts'
import { linesOf, startRun } from '../harness/runs.ts'
import type { TestWorkspace } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { slowApply, slowPlan } from './configurations.ts'
import { expectNothingHeld, isTerminalRow, rowUntil, until } from './run-rows.ts'
import { busyRunnersOf, cmdlineOf, environOf, isAlive, runnersOf } from './runner-processes.ts'

let harness: Harness
let processes: Processes
let worker: Process
let owner: TestUser
let make: (files: Record<string, string>) => Promise<TestWorkspace>
beforeAll(async () => {
  harness = await createHarness()
  processes = await processesOf(harness)
  await processes.startApi()
  worker = await processes.startWorker()
  const org = await harness.organization()
  owner = await org.user('Owner')
  make = async (files) => org.workspace({ by: owner, files })
})
afterAll(async () => {
  await processes.close()
  await harness.close()
})

const says = async (workspace: TestWorkspace, run: { id: number; stage: string }, text: string) =>
  (await linesOf(owner, workspace, run)).filter((line) => line.includes(text)).length

const busyRunner = async (): Promise<number> => {
  await until('a runner runs tofu', () => tofuBelow(worker.pid).length > 0)
  return busyRunnersOf(worker.pid)[0] ?? 0
}

test('a runner killed while planning: the plan is made again by the same worker', async () => {
  const workspace = await make(slowPlan(20))
  const { id } = await startRun(owner, workspace)
  const runner = await busyRunner()

  const { databaseUrl, keyring } = harness.config
  const told = `${environOf(runner)} ${cmdlineOf(runner)}`
  expect(environOf(runner)).toMatch(/^NODE_COMPILE_CACHE=[^\0]*\/compiled\0$/)
  for (const secret of [databaseUrl.reveal(), ...keyring.map(({ key }) => key.reveal())])
    expect(told).not.toContain(secret)
  expect(told).not.toContain('cc_run_')

  process.kill(runner, 'SIGKILL')
  const row = await rowUntil(harness, id, { when: isTerminalRow })
  expect(row, String(row.message)).toMatchObject({ phase: 'succeeded', attempts: 1 })
  expect(await says(workspace, { id, stage: 'plan' }, 'The worker was lost. Planning')).toBe(1)
  expect(isAlive(worker.pid)).toBe(true)
  expectNothingHeld(row)
})

test('a runner that dies at each try: planned three times and no more, and the worker lives', async () => {
  const workspace = await make(slowPlan(1_000))
  const { id } = await startRun(owner, workspace)
  const killed = new Set<number>()
  for (let tries = 1; tries <= 3; tries += 1) {
    await until(`try ${tries} plans`, () =>
      busyRunnersOf(worker.pid).some((pid) => !killed.has(pid)),
    )
    for (const pid of busyRunnersOf(worker.pid)) {
      killed.add(pid)
      process.kill(pid, 'SIGKILL')
    }
  }
  const row = await rowUntil(harness, id, { when: isTerminalRow })
  expect(row).toMatchObject({ phase: 'failed', needsRefresh: false })
  expect(killed.size).toBe(3)
  expectNothingHeld(row)
  expect(tofuBelow(worker.pid)).toEqual([])
  expect(isAlive(worker.pid)).toBe(true)
})

test('a runner killed while applying: runner_lost, to be refreshed, and never applied again', async () => {
  const workspace = await make(slowApply(60))
  const { id } = await startRun(owner, workspace)
  await until(
    'it applies',
    async () => (await says(workspace, { id, stage: 'apply' }, 'slow: Creating')) > 0,
  )
  process.kill(await busyRunner(), 'SIGKILL')
  const row = await rowUntil(harness, id, { when: isTerminalRow })
  expect(row).toMatchObject({
    phase: 'failed',
    reason: 'runner_lost',
    needsRefresh: true,
    attempts: 1,
  })
  expectNothingHeld(row)
  expect(tofuBelow(worker.pid)).toEqual([])
})

test('kill -9 of the worker leaves no runner and no step', async () => {
  const workspace = await make(slowPlan(600))
  await startRun(owner, workspace)
  let left: number[] = []
  // Between two steps a runner has none.
  await until('a runner and its step', () => {
    const steps = tofuBelow(worker.pid)
    left = [...runnersOf(worker.pid), ...steps]
    return steps.length > 0 && left.length > steps.length
  })
  await worker.kill()
  await expect.poll(() => left.filter(isAlive), { timeout: 3_000 }).toEqual([])
})
