import { randomUUID } from 'node:crypto'
import { Client, Connection } from '@temporalio/client'
import { ApplicationFailure } from '@temporalio/common'
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker'
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest'
import { ensureNamespace } from '../../../engines/ensure-namespace.ts'
import { connectionOptions } from '../../../gateways/temporal/connection-options.ts'
import {
  syncAccountType,
  type Looked,
  type SyncAccountInput,
  type SyncPlaceInput,
} from '../../../workflows/clouds/contract.ts'
import { cloudQueue } from '../../../workflows/platform/contract.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

// Without this, each failure of an activity is logged.
Runtime.install({ logger: new DefaultLogger('ERROR') })

// The workflow alone, by a real Temporal: its activities answer what a test says.
const taskQueue = 'sync-account'

let harness: Harness
let connection: Connection
let native: NativeConnection
let workers: Worker[]
let running: Promise<unknown>
let client: Client
beforeAll(async () => {
  harness = await createHarness()
  const { namespace } = harness.config.temporal
  connection = await Connection.connect(connectionOptions(harness.config))
  await ensureNamespace(connection, namespace)
  native = await NativeConnection.connect(connectionOptions(harness.config))
  client = new Client({ connection, namespace })
  const common = { connection: native, namespace }
  const workflowBundle = { codePath: inject('workflowBundle') }
  workers = [
    await Worker.create({ ...common, taskQueue, workflowBundle, activities: { endSync } }),
    await Worker.create({
      ...common,
      taskQueue: cloudQueue,
      activities: { listPlaces, lookAtPlace, mergePlace },
    }),
  ]
  running = Promise.all(workers.map(async (worker) => worker.run()))
})
afterAll(async () => {
  for (const worker of workers) worker.shutdown()
  await running
  await native.close()
  await connection.close()
  await harness.close()
})

let called: string[]
/** What each look at a place comes to, in turn. */
let looks: Record<number, Array<Looked | { code: string }>>
beforeEach(() => {
  called = []
})

async function listPlaces() {
  return { placeIds: Object.keys(looks).map(Number) }
}
async function lookAtPlace({ placeId }: SyncPlaceInput): Promise<Looked> {
  called.push(`look ${placeId}`)
  const outcome = looks[placeId]?.shift()
  if (typeof outcome === 'string') return outcome
  throw ApplicationFailure.nonRetryable('refused by the test', outcome?.code)
}
async function mergePlace({ placeId }: SyncPlaceInput) {
  called.push(`merge ${placeId}`)
}
async function endSync({ code }: SyncAccountInput & { code?: string }) {
  called.push(`end ${code ?? 'by its places'}`)
}

const sync = async () =>
  client.workflow.execute(syncAccountType, {
    taskQueue,
    workflowId: randomUUID(),
    args: [{ organizationId: 1, syncId: 1 }],
  })

test('a place is looked at until its look is done, and merged once, after all looks', async () => {
  looks = { 1: ['more', 'more', 'done'], 2: ['done'], 3: ['more', 'done'] }
  await sync()
  expect(called.slice(0, 6).toSorted()).toEqual([
    'look 1',
    'look 1',
    'look 1',
    'look 2',
    'look 3',
    'look 3',
  ])
  expect(called.slice(6)).toEqual(['merge 1', 'merge 2', 'merge 3', 'end by its places'])
})

test('a look that fails for good is not begun again, and keeps no other place from being looked at', async () => {
  looks = { 1: ['more', { code: 'timed_out' }, 'done'], 2: ['more', 'done'] }
  await sync()
  expect(called.filter((call) => call === 'look 1')).toHaveLength(2)
  expect(called.filter((call) => call === 'look 2')).toHaveLength(2)
  expect(called.at(-1)).toBe('end by its places')
})

test('credentials that are refused in a later look of a place: nothing is merged', async () => {
  looks = { 1: ['more', 'more', { code: 'cloud_credentials_rejected' }] }
  await sync()
  expect(called).toEqual(['look 1', 'look 1', 'look 1', 'end cloud_credentials_rejected'])
})
