import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { processesOf, tofuBelow, type Processes } from '../harness/processes.ts'
import { linesOf, startRun } from '../harness/runs.ts'
import { slowPlan } from './configurations.ts'
import { expectNothingHeld, isTerminalRow, rowUntil, until } from './run-rows.ts'

let harness: Harness
let processes: Processes
beforeAll(async () => {
  harness = await createHarness()
  processes = await processesOf(harness)
  await processes.startApi()
})
afterAll(async () => {
  await processes.close()
  await harness.close()
})

test('a plan whose worker is lost each time is made three times, then its run fails', async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const workspace = await org.workspace({ by: owner, files: slowPlan(1_000) })
  const { id } = await startRun(owner, workspace)

  let lostAt = 0
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const worker = await processes.startWorker()
    await until(`attempt ${attempt} plans`, () => tofuBelow(worker.pid).length > 0)
    await worker.kill()
    lostAt = Date.now()
  }
  const last = await processes.startWorker()
  const row = await rowUntil(harness, id, { when: isTerminalRow })
  console.log(`failed ${(row.endedAt?.getTime() ?? 0) - lostAt} ms after the last loss`)
  expect(row).toMatchObject({ phase: 'failed', reason: 'runner_lost', needsRefresh: false })
  expectNothingHeld(row)
  expect(tofuBelow(last.pid)).toEqual([])
  const log = await linesOf(owner, workspace, { id, stage: 'plan' })
  expect(log.filter((line) => line.includes('The plan was interrupted'))).toHaveLength(2)

  // The failed run does not block the next one.
  await owner.put(`${workspace.url}/configuration`, { files: slowPlan(1) })
  const next = await startRun(owner, workspace)
  expect(await rowUntil(harness, next.id, { when: isTerminalRow })).toMatchObject({
    phase: 'succeeded',
  })
}, 300_000)
