import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tofuBelow, type Process } from '../harness/processes.ts'
import { startRun } from '../harness/runs.ts'
import { slowApply, slowPlan } from './configurations.ts'
import { openOneWorker, type OneWorker } from './one-worker.ts'
import { expectNothingHeld, isTerminalRow, rowUntil, until } from './run-rows.ts'

// Kills the other two processes of a run: the API that receives its state, and `tofu`.
let world: OneWorker
let api: Process
beforeAll(async () => {
  world = await openOneWorker()
  api = world.api
})
afterAll(async () => world?.close())

const says = async (...about: Parameters<OneWorker['timesSaid']>) =>
  (await world.timesSaid(...about)) > 0

describe('kill -9 of the API', () => {
  test('while an apply runs: its state is sent once the API is back, and the run succeeds', async () => {
    const { harness, processes, owner, make } = world
    const workspace = await make(slowApply(2))
    const { id } = await startRun(owner, workspace)
    await until('it applies', async () => says(workspace, { id, stage: 'apply' }, 'Creating...'))
    await api.kill()
    await until('its apply is complete', async () =>
      says(workspace, { id, stage: 'apply' }, 'terraform_data.slow: Creation complete'),
    )
    // The API stays away longer than a supervisor takes to restart it.
    await new Promise((resolve) => setTimeout(resolve, 5_000))
    expect(await rowUntil(harness, id, { when: () => true })).toMatchObject({
      phase: 'applying',
      finalized: 0,
    })
    api = await processes.startApi()
    const upAt = Date.now()
    const row = await rowUntil(harness, id, { when: isTerminalRow })
    console.log(`succeeded ${(row.endedAt?.getTime() ?? 0) - upAt} ms after the API was up`)
    expect(row).toMatchObject({ phase: 'succeeded', attempts: 1, quarantined: 0 })
    expect(row.finalized).toBeGreaterThanOrEqual(1)
    expectNothingHeld(row)
  })

  test('while a run plans: the plan is made once', async () => {
    const { harness, processes, worker, owner, make } = world
    const workspace = await make(slowPlan(150))
    const { id } = await startRun(owner, workspace)
    await until('it plans', () => tofuBelow(worker.pid).length > 0)
    await api.kill()
    api = await processes.startApi()
    const row = await rowUntil(harness, id, { when: isTerminalRow })
    expect(row, String(row.message)).toMatchObject({ phase: 'succeeded', attempts: 1 })
    expect(await says(workspace, { id, stage: 'plan' }, 'The plan was interrupted')).toBe(false)
  })
})

describe('kill -9 of tofu', () => {
  test('while planning: the plan is made again, and the next run proceeds', async () => {
    const { harness, worker, owner, make } = world
    const workspace = await make(slowPlan(150))
    const { id } = await startRun(owner, workspace)
    await until('it plans', async () => says(workspace, { id, stage: 'plan' }, 'Initializing'))
    await until('tofu runs', () => tofuBelow(worker.pid).length > 0)
    for (const pid of tofuBelow(worker.pid)) process.kill(pid, 'SIGKILL')
    const row = await rowUntil(harness, id, { when: isTerminalRow })
    expect(row, String(row.message)).toMatchObject({ phase: 'succeeded', needsRefresh: false })
    expect(await says(workspace, { id, stage: 'plan' }, 'Planning again')).toBe(true)
    expectNothingHeld(row)
    const next = await startRun(owner, workspace)
    expect(await rowUntil(harness, next.id, { when: isTerminalRow })).toMatchObject({
      phase: 'succeeded',
    })
  })

  test('while applying: failed, apply_errored, needs a refresh, and is never applied again', async () => {
    const { harness, worker, owner, make } = world
    const workspace = await make(slowApply(60))
    const { id } = await startRun(owner, workspace)
    await until('it applies', async () => says(workspace, { id, stage: 'apply' }, 'slow: Creating'))
    const killedAt = Date.now()
    for (const pid of tofuBelow(worker.pid)) process.kill(pid, 'SIGKILL')
    const row = await rowUntil(harness, id, { when: isTerminalRow })
    console.log(`failed ${(row.endedAt?.getTime() ?? 0) - killedAt} ms after tofu was killed`)
    expect(row).toMatchObject({
      phase: 'failed',
      reason: 'apply_errored',
      needsRefresh: true,
      attempts: 1,
    })
    expectNothingHeld(row)
    expect(tofuBelow(worker.pid)).toEqual([])
  })
})
