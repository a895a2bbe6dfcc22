import { afterAll, beforeAll, expect, test } from 'vitest'
import { tofuBelow } from '../harness/processes.ts'
import { startRun } from '../harness/runs.ts'
import { slowApply, slowPlan } from './configurations.ts'
import { openOneWorker, type OneWorker } from './one-worker.ts'
import { expectNothingHeld, isTerminalRow, rowUntil, until } from './run-rows.ts'
import { busyRunnersOf, cmdlineOf, environOf, isAlive, runnersOf } from './runner-processes.ts'

let world: OneWorker
beforeAll(async () => {
  world = await openOneWorker()
})
afterAll(async () => world?.close())

const busyRunner = async (): Promise<number> => {
  await until('a runner runs tofu', () => tofuBelow(world.worker.pid).length > 0)
  return busyRunnersOf(world.worker.pid)[0] ?? 0
}

test('kill -9 of a runner while planning: the same worker makes the plan again', async () => {
  const { harness, worker, owner, make, timesSaid } = world
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
  expect(
    await timesSaid(workspace, { id, stage: 'plan' }, 'The plan was interrupted. Planning'),
  ).toBe(1)
  expect(isAlive(worker.pid)).toBe(true)
  expectNothingHeld(row)
})

test('a runner is killed at each attempt: the plan is made three times, and the worker lives', async () => {
  const { harness, worker, owner, make } = world
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

test('kill -9 of tofu while planning: the plan is made again, and at the third the run says so', async () => {
  const { harness, worker, owner, make, timesSaid } = world
  const killed = new Set<number>()
  const killNext = async () => {
    const living = () => tofuBelow(worker.pid).filter((pid) => !killed.has(pid))
    await until('tofu runs', () => living().length > 0)
    for (const pid of living()) {
      killed.add(pid)
      process.kill(pid, 'SIGKILL')
    }
  }
  const once = await make(slowPlan(5))
  const first = await startRun(owner, once)
  await killNext()
  const made = await rowUntil(harness, first.id, { when: isTerminalRow })
  expect(made, String(made.message)).toMatchObject({ phase: 'succeeded', attempts: 1 })
  expect(await timesSaid(once, { id: first.id, stage: 'plan' }, 'Planning again')).toBe(1)

  const { id } = await startRun(owner, await make(slowPlan(1_000)))
  for (let tries = 1; tries <= 3; tries += 1) await killNext()
  const row = await rowUntil(harness, id, { when: isTerminalRow })
  expect(row).toMatchObject({ phase: 'failed', reason: 'runner_lost', needsRefresh: false })
  expect(row.message).toMatch(/^tofu (init|plan) was killed: SIGKILL\.$/)
  expectNothingHeld(row)
})

test('kill -9 of a runner while applying: runner_lost, needs a refresh, and is never applied again', async () => {
  const { harness, worker, owner, make, timesSaid } = world
  const workspace = await make(slowApply(60))
  const { id } = await startRun(owner, workspace)
  await until(
    'it applies',
    async () => (await timesSaid(workspace, { id, stage: 'apply' }, 'slow: Creating')) > 0,
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
  const { worker, owner, make } = world
  const workspace = await make(slowPlan(600))
  await startRun(owner, workspace)
  let left: number[] = []
  // Between two steps a runner has no child process.
  await until('a runner and its step', () => {
    const steps = tofuBelow(worker.pid)
    left = [...runnersOf(worker.pid), ...steps]
    return steps.length > 0 && left.length > steps.length
  })
  await worker.kill()
  await expect.poll(() => left.filter(isAlive), { timeout: 3_000 }).toEqual([])
})
