import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { processesOf, type Process, type Processes } from '../harness/processes.ts'
import { linesOf, startRun } from '../harness/runs.ts'
import { slowApply } from './configurations.ts'
import { isTerminalRow, rowUntil, until } from './run-rows.ts'
import { isAlive, memoryOf } from './runner-processes.ts'

// One organization sends a plan that is too large while another organization applies.
let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(() => harness.close())

const megabyte = 1024 ** 2

/** Each of `count` resources takes two megabytes of the plan's JSON. */
const large = (count: number) => ({
  'main.tf': `resource "terraform_data" "wide" {
  count = ${count}
  input = join("", [for i in range(1000) : format("%01000d", i)])
}`,
})

type Beside = { processes: Processes; worker: Process }

async function startBeside(more: Record<string, string> = {}): Promise<Beside> {
  const processes = await processesOf(harness, more)
  await processes.startApi()
  return { processes, worker: await processes.startWorker() }
}

/** Runs a hostile run beside a quiet one that applies, and waits for the end of both. */
async function hostileBesideQuiet(beside: Beside, files: Record<string, string>) {
  const [hostileOrg, quietOrg] = [await harness.organization(), await harness.organization()]
  const [hostile, quiet] = [await hostileOrg.user('Owner'), await quietOrg.user('Owner')]
  const quietWorkspace = await quietOrg.workspace({ by: quiet, files: slowApply(45) })
  const quietRun = await startRun(quiet, quietWorkspace)
  const at = { id: quietRun.id, stage: 'apply' }
  await until('the quiet one applies', async () =>
    (await linesOf(quiet, quietWorkspace, at)).some((line) => line.includes('slow: Creating')),
  )
  const memoryBefore = memoryOf(beside.worker.pid)
  let memoryMost = memoryBefore
  const watch = setInterval(() => {
    memoryMost = Math.max(memoryMost, memoryOf(beside.worker.pid))
  }, 100)
  try {
    const workspace = await hostileOrg.workspace({ by: hostile, files })
    const { id } = await startRun(hostile, workspace)
    const row = await rowUntil(harness, id, { when: isTerminalRow })
    const quietRow = await rowUntil(harness, quietRun.id, { when: isTerminalRow })
    expect(quietRow).toMatchObject({ phase: 'succeeded', attempts: 1 })
    expect(isAlive(beside.worker.pid)).toBe(true)
    return { row, grown: memoryMost - memoryBefore }
  } finally {
    clearInterval(watch)
  }
}

test('plan_too_large: a plan of 80 MB fails its own run, and the worker does not grow', async () => {
  const beside = await startBeside()
  try {
    const { row, grown } = await hostileBesideQuiet(beside, large(40))
    expect(row).toMatchObject({ phase: 'failed', reason: 'plan_too_large', needsRefresh: false })
    expect(row.message).toMatch(/takes 7\d MiB, and at most 32 MiB .* Split the workspace/)
    expect(grown).toBeLessThan(150 * megabyte)
  } finally {
    await beside.processes.close()
  }
})

test('memory_exceeded: a plan above the memory limit of a runner fails its own run', async () => {
  const beside = await startBeside({ CC_PLAN_JSON_MAX_MB: '512', CC_RUNNER_MEMORY_MB: '256' })
  try {
    const { row, grown } = await hostileBesideQuiet(beside, large(60))
    expect(row).toMatchObject({ phase: 'failed', reason: 'memory_exceeded', needsRefresh: false })
    expect(row.message).toContain('CC_RUNNER_MEMORY_MB')
    expect(grown).toBeLessThan(150 * megabyte)
  } finally {
    await beside.processes.close()
  }
})
