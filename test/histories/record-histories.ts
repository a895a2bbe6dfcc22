import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Connection } from '@temporalio/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectionOptions } from '../../gateways/temporal/connection-options.ts'
import { payloadAuthentication } from '../../gateways/temporal/payload-authentication.ts'
import { controlQueue, reconcileType } from '../../workflows/platform/contract.ts'
import { slowApply } from '../faults/configurations.ts'
import { isTerminalRow, rowUntil } from '../faults/run-rows.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { processesOf, type Process, type Processes } from '../harness/processes.ts'
import { awaits, isOver, runUntil, startRun } from '../harness/runs.ts'
import type { TestOrganization, WorkspaceOptions } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { historyKeyring, type RecordedHistory } from './recorded-history.ts'

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
  const connection = await Connection.connect(connectionOptions(harness.config))
  client = new Client({
    connection,
    namespace: harness.config.temporal.namespace,
    dataConverter: { payloadCodecs: [payloadAuthentication(harness.deps.keyring)] },
  })
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
  await write(name, run.workflowId)
  return [state, reason]
}

/** Writes a workflow's history once the workflow is over. */
const write = async (name: string, workflowId: string) => {
  const handle = client.workflow.getHandle(workflowId)
  while ((await handle.describe()).status.name === 'RUNNING') await sleep(50)
  // By its own toJSON: historyToJSON of the SDK wants the type of another copy of protobufjs than
  // the one that npm gives it here (`type must be a Type`), as grpc's older one is hoisted.
  const history = JSON.parse(JSON.stringify(await handle.fetchHistory())) as object
  const recorded: RecordedHistory = { workflowId, history: neutral(history) }
  writeFileSync(join(import.meta.dirname, `${name}.json`), `${JSON.stringify(recorded, null, 1)}\n`)
}

/** Without the names of this machine and of its workers: they say nothing about a workflow. */
function neutral(value: unknown): object {
  const walk = (inner: unknown): unknown => {
    if (Array.isArray(inner)) return inner.map(walk)
    if (typeof inner !== 'object' || inner === null) return inner
    return Object.fromEntries(
      Object.entries(inner).map(([key, one]) => [
        key,
        key === 'identity' || key === 'lastWorkerIdentity'
          ? 'worker'
          : key === 'stickyAttributes' || key === 'workerVersion'
            ? undefined
            : typeof one === 'object' && isStickyQueue(one)
              ? { name: 'control' }
              : walk(one),
      ]),
    )
  }
  // An object stays an object.
  return walk(value) as object
}

/** A worker's own queue has its host's name in it. */
const isStickyQueue = (value: object | null): boolean =>
  value !== null && 'kind' in value && value.kind === 'TASK_QUEUE_KIND_STICKY'

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
  await write('reconcile', workflowId)
})
