import type { Client } from '@temporalio/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { controlQueue, reconcileType } from '../../workflows/platform/contract.ts'
import { slowApply } from '../faults/configurations.ts'
import { isTerminalRow, rowUntil } from '../faults/run-rows.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { processesOf, type Process, type Processes } from '../harness/processes.ts'
import { awaits, isOver, runUntil, startRun } from '../harness/runs.ts'
import type { TestOrganization, WorkspaceOptions } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { historyKeyring } from './recorded-history.ts'
import { historyClient, writeHistory } from './write-history.ts'

// Not a test: `node scripts/record-histories.ts` runs it when a workflow has changed on purpose.
// Each history ends as its name says; replay.test.ts replays them with today's code.
let harness: Harness
let processes: Processes
let worker: Process
let client: Client
let org: TestOrganization
let author: TestUser
let second: TestUser
beforeAll(async () => {
  harness = await createHarness({ env: { CC_KEYRING: historyKeyring } })
  processes = await processesOf(harness)
  await processes.startApi()
  worker = await processes.startWorker()
  client = await historyClient(harness)
  org = await harness.organization()
  author = await org.user('Owner')
  second = await org.user('Deployer')
})
afterAll(async () => {
  await client.connection.close()
  await processes.close()
  await harness.close()
})

const begin = async (options: WorkspaceOptions) => {
  const workspace = await org.workspace({ by: author, ...options })
  const { id, workflowId } = await startRun(author, workspace)
  const url = `/api/pipelines/${workspace.pipelineId}/runs/${id}`
  return { workspace, id, workflowId, url }
}
const beginWaiting = async () => {
  const run = await begin({ criticality: 'production' })
  await runUntil(author, run, awaits)
  return run
}

const keep = async (name: string, run: Awaited<ReturnType<typeof begin>>) => {
  const { state, reason } = await runUntil(author, run, isOver)
  await writeHistory(client, name, run.workflowId)
  return [state, reason]
}

test('applied', async () => {
  expect(await keep('applied', await begin({}))).toEqual(['succeeded', null])
})

test('approved', async () => {
  const run = await beginWaiting()
  expect((await second.post(`${run.url}/approve`, {})).statusCode).toBe(200)
  expect(await keep('approved', run)).toEqual(['succeeded', null])
})

test('rejected', async () => {
  const run = await beginWaiting()
  expect((await second.post(`${run.url}/reject`, {})).statusCode).toBe(200)
  expect(await keep('rejected', run)).toEqual(['failed', 'rejected'])
})

test('canceled', async () => {
  const run = await beginWaiting()
  expect((await author.post(`${run.url}/cancel`)).statusCode).toBe(200)
  expect(await keep('canceled', run)).toEqual(['canceled', 'canceled_by_user'])
})

test('expired', async () => {
  const { platform } = harness.deps.store
  await platform('organizations')
    .where({ id: org.id })
    .update({ settings: JSON.stringify({ approvalExpiryHours: 3 / 3_600 }) })
  expect(await keep('expired', await beginWaiting())).toEqual(['failed', 'approval_expired'])
})

test('runner-lost', async () => {
  const run = await begin({ files: slowApply(300) })
  await rowUntil(harness, run.id, { when: ({ spawnedAt }) => spawnedAt !== null })
  await worker.kill()
  worker = await processes.startWorker()
  await rowUntil(harness, run.id, { when: isTerminalRow })
  expect(await keep('runner-lost', run)).toEqual(['failed', 'runner_lost'])
})

test('reconcile', async () => {
  const workflowId = 'reconcile-recorded'
  const { workflow } = client
  await workflow.execute(reconcileType, { workflowId, taskQueue: controlQueue, args: [] })
  await writeHistory(client, 'reconcile', workflowId)
})
