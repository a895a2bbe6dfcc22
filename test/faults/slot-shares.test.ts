import { Client, Connection } from '@temporalio/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectionOptions } from '../../gateways/temporal/connection-options.ts'
import { infrastructureRunId } from '../../workflows/infrastructure/contract.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { lookUntil } from '../harness/eventually.ts'
import { processesOf, type Process, type Processes } from '../harness/processes.ts'
import { getRun, linesOf, startRun } from '../harness/runs.ts'
import type { TestOrganization, TestWorkspace } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { slowApply } from './configurations.ts'
import { expectNothingHeld, isTerminalRow, rowOf, rowUntil, until } from './run-rows.ts'

// A worker has three slots and one organization has more applies than that. A run of another
// organization does not wait for them (docs/decisions/0117).
let harness: Harness
let processes: Processes
let worker: Process
let greedy: TestOrganization
/** Exists from the start, because the only organization with runs may take all slots. */
let other: TestOrganization
let owner: TestUser
let client: Client
beforeAll(async () => {
  harness = await createHarness()
  processes = await processesOf(harness, { CC_TOFU_SLOTS: '3' })
  await processes.startApi()
  worker = await processes.startWorker()
  greedy = await harness.organization()
  other = await harness.organization()
  owner = await greedy.user('Owner')
  const connection = await Connection.connect(connectionOptions(harness.config))
  client = new Client({ connection, namespace: harness.config.temporal.namespace })
})
afterAll(async () => {
  await client.connection.close()
  await processes.close()
  await harness.close()
})

type Started = { workspace: TestWorkspace; id: number }

/** Starts four runs with applies of this length, and waits until as many apply as may. */
async function fillSlots(seconds: number): Promise<{ applying: Started[]; waiting: Started[] }> {
  const runs: Started[] = []
  for (let count = 0; count < 4; count += 1) {
    const workspace = await greedy.workspace({ by: owner, files: slowApply(seconds) })
    runs.push({ workspace, id: (await startRun(owner, workspace)).id })
  }
  const phases = async () =>
    Promise.all(runs.map(async ({ id }) => (await rowOf(harness, id)).phase))
  const applyingNow = async () => (await phases()).filter((phase) => phase === 'applying').length
  await until('two apply', async () => (await applyingNow()) >= 2)
  // Without the share of one organization a third one would start at once.
  await lookUntil(async () => (await applyingNow()) >= 3, { looks: 50, everyMs: 100 })
  const now = await phases()
  const isApplying = (_: Started, at: number) => now[at] === 'applying'
  return {
    applying: runs.filter(isApplying),
    waiting: runs.filter((run, at) => !isApplying(run, at)),
  }
}

const startsIn = async ({ workspace, id }: Started) =>
  (await linesOf(owner, workspace, { id, stage: 'apply' })).filter((line) =>
    line.startsWith('terraform_data.slow: Creating'),
  ).length

/** All runs succeed, each planned and applied once. */
async function expectAppliedOnce(runs: Started[]): Promise<void> {
  for (const run of runs) {
    const row = await rowUntil(harness, run.id, { when: isTerminalRow })
    expect(row, String(row.message)).toMatchObject({ phase: 'succeeded', attempts: 1 })
    expectNothingHeld(row)
    expect(await startsIn(run)).toBe(1)
    const plan = await linesOf(owner, run.workspace, { id: run.id, stage: 'plan' })
    expect(plan.filter((line) => line.includes('Planning again'))).toEqual([])
  }
}

test("an organization's long applies fill its share of slots: another organization's run ends", async () => {
  const { applying, waiting } = await fillSlots(30)
  const another = await other.user('Owner')
  const theirs = await startRun(another, await other.workspace({ by: another }))
  expect(await rowUntil(harness, theirs.id, { when: isTerminalRow })).toMatchObject({
    phase: 'succeeded',
  })

  const rows = await Promise.all(applying.map(async ({ id }) => rowOf(harness, id)))
  expect(rows.map(({ phase }) => phase)).toEqual(['applying', 'applying'])
  for (const { workspace, id } of waiting) {
    const { blockedBy } = await getRun(owner, workspace, id)
    expect(blockedBy).toMatchObject({ kind: 'capacity', whoCanAct: [] })
  }

  await expectAppliedOnce([...applying, ...waiting])
  for (const { workspace, id } of waiting) {
    expect((await getRun(owner, workspace, id)).blockedBy).toBeNull()
    const handle = client.workflow.getHandle(
      infrastructureRunId({ organizationId: greedy.id, workspaceRunId: id }),
    )
    // Each check for a slot adds about 20 events. The limit shows that the workflow waits and does
    // not poll.
    expect((await handle.describe()).historyLength).toBeLessThan(250)
  }
})

test('a run that waits for a slot is canceled: it ends at once', async () => {
  const { applying, waiting } = await fillSlots(20)
  for (const { workspace, id } of waiting)
    await owner.post(`/api/pipelines/${workspace.pipelineId}/runs/${id}/cancel`)
  for (const { id } of waiting)
    expect(await rowUntil(harness, id, { when: isTerminalRow })).toMatchObject({
      phase: 'canceled',
      attempts: 0,
    })
  const rows = await Promise.all(applying.map(async ({ id }) => rowOf(harness, id)))
  expect(rows.map(({ phase }) => phase)).toEqual(['applying', 'applying'])
  await expectAppliedOnce(applying)
})

test('kill -9 of the worker: applying runs fail once, and the next worker applies the waiting ones', async () => {
  const { applying, waiting } = await fillSlots(20)
  await worker.kill()
  worker = await processes.startWorker()
  for (const { id } of applying) {
    const row = await rowUntil(harness, id, { when: isTerminalRow })
    expect(row).toMatchObject({ phase: 'failed', reason: 'runner_lost', attempts: 1 })
    expectNothingHeld(row)
  }
  await expectAppliedOnce(waiting)
})
