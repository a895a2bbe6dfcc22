import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { processesOf, type Processes } from '../harness/processes.ts'
import { linesOf, startRun } from '../harness/runs.ts'
import { expectNothingHeld, isTerminalRow, patientLooks, rowUntil } from './run-rows.ts'

// A worker hangs, here by SIGSTOP, as on a host that swaps or is migrated. Its polls stay open at
// Temporal, which gives it tasks that it never starts.
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

test('a worker hangs with tasks: its runs succeed on another worker, and it works again once it wakes', async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const asleep = await processes.startWorker()
  await processes.startWorker()
  process.kill(asleep.pid, 'SIGSTOP')
  try {
    // Temporal chooses the worker of each task. With 12 runs, the stopped worker gets some tasks.
    const runs = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const workspace = await org.workspace({ by: owner })
        return { workspace, id: (await startRun(owner, workspace)).id }
      }),
    )
    const begunAt = Date.now()
    for (const { workspace, id } of runs) {
      const row = await rowUntil(harness, id, { when: isTerminalRow, looks: 2 * patientLooks })
      expect(row, String(row.message)).toMatchObject({ phase: 'succeeded', attempts: 1 })
      expectNothingHeld(row)
      // The stopped worker never started the plan, so the log reports no lost worker.
      const log = await linesOf(owner, workspace, { id, stage: 'plan' })
      expect(log.filter((line) => line.includes('The plan was interrupted'))).toEqual([])
    }
    console.log(`settled ${Date.now() - begunAt} ms after their start`)
  } finally {
    process.kill(asleep.pid, 'SIGCONT')
  }
  const next = await startRun(owner, await org.workspace({ by: owner }))
  const row = await rowUntil(harness, next.id, { when: isTerminalRow })
  expect(row, String(row.message)).toMatchObject({ phase: 'succeeded', attempts: 1 })
}, 400_000)
