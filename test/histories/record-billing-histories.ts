import type { Client } from '@temporalio/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startIngest } from '../../app/finops/start-ingest.ts'
import { ingestBillId, ingestBillingId, type BillInput } from '../../workflows/finops/contract.ts'
import { s3Refusal } from '../harness/clouds/scripted-s3.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { eventually } from '../harness/eventually.ts'
import { endedIngest } from '../harness/finops/bill-form.ts'
import { billedStorage, type BilledStorage } from '../harness/finops/billed-storage.ts'
import { focusCsv } from '../harness/finops/focus-csv.ts'
import { waitingUpload } from '../harness/finops/waiting-upload.ts'
import { processesOf, type Processes } from '../harness/processes.ts'
import type { TestUser } from '../harness/test-user.ts'
import { historyKeyring } from './recorded-history.ts'
import { historyClient, writeHistory } from './write-history.ts'

// Not a test: see record-histories.ts. The ingest of bills, with each of its ends.
let storage: BilledStorage
let harness: Harness
let processes: Processes
let client: Client
let owner: TestUser
let ofAccount: { organizationId: number; ingestId: number }
beforeAll(async () => {
  storage = await billedStorage()
  const env = { CC_KEYRING: historyKeyring, CC_PRIVATE_HOSTS: storage.hosts }
  harness = await createHarness({ env })
  processes = await processesOf(harness, env)
  await processes.startWorker()
  client = await historyClient(harness)
  owner = await (await harness.organization()).user('Owner')
  const { organizationId } = owner
  storage.put(organizationId, '2026-09', focusCsv('2026-09', [1, 2, 3]))
  storage.put(organizationId, '2026-10', focusCsv('2026-10', [4, 5]))
  ofAccount = { organizationId, ingestId: (await storage.connect(owner)).ingestId }
})
afterAll(async () => {
  await client?.connection.close()
  await processes?.close()
  await harness?.close()
  await storage?.close()
})

/** The bills of an ingest, by their slices. */
const billsOf = async ({ organizationId, ingestId }: typeof ofAccount): Promise<BillInput[]> => {
  const rows = await harness.deps.store
    .platform('billing_slices')
    .where({ organizationId, ingestId })
    .whereNot({ state: 'unchanged' })
    .orderBy('id')
    .select('id', 'sourceId')
  return rows.map(({ id, sourceId }) => ({ organizationId, ingestId, sourceId, sliceId: id }))
}
/** Asks for an ingest and waits for its end. */
const ingest = async () => {
  const { organizationId } = owner
  const { id } = (await owner.post('/api/finops/ingest', {})).json().ingest
  return { ended: await endedIngest(owner, id), at: { organizationId, ingestId: Number(id) } }
}
const writeBill = async (name: string, bill: BillInput | undefined) => {
  if (!bill) throw new Error(`there is no bill of ${name}`)
  await writeHistory(client, name, ingestBillId(bill))
}

test('bills-ingested, bill-loaded', async () => {
  await writeHistory(client, 'bills-ingested', ingestBillingId(ofAccount))
  const [bill] = await billsOf(ofAccount)
  await writeBill('bill-loaded', bill)
})

test('bills-looked-at-again, bill-changed', async () => {
  const { organizationId } = owner
  storage.put(organizationId, '2026-10', focusCsv('2026-10', [4, 6]))
  const gate = storage.hold(organizationId, 'file')
  const begun = ingest()
  await eventually(async () => gate.reached())
  const [changed] = await harness.deps.store
    .platform('billing_slices')
    .where({ organizationId, state: 'reading' })
    .select('id', 'sourceId', 'ingestId')
  // The export is written anew while it is fetched, and somebody asks for an ingest meanwhile.
  storage.put(organizationId, '2026-10', focusCsv('2026-10', [4, 7]))
  const { ingestId } = await harness.deps.store.tenant(organizationId, async (tenant) =>
    startIngest(tenant, { trigger: 'request' }),
  )
  gate.open()
  const { ended, at } = await begun
  expect(ended).toMatchObject({ id: ingestId, state: 'succeeded', recordsUpserted: 1 })
  await writeHistory(client, 'bills-looked-at-again', ingestBillingId(at))
  const { id: sliceId = 0, sourceId = 0 } = changed ?? {}
  await writeBill('bill-changed', { ...at, sourceId, sliceId })
})

test('bill-refused', async () => {
  storage.put(owner.organizationId, '2026-10', focusCsv('2026-10', [4, 'twelve']))
  const { ended, at } = await ingest()
  expect(ended.state).toBe('failed')
  const [bill] = await billsOf(at)
  await writeBill('bill-refused', bill)
})

test('bill-failed', async () => {
  storage.put(owner.organizationId, '2026-10', focusCsv('2026-10', [4, 8]))
  storage.bucket.onGet = (key, answer) =>
    key.endsWith('.csv') ? s3Refusal(403, 'AccessDenied') : answer
  const { ended, at } = await ingest()
  storage.bucket.onGet = (_, answer) => answer
  expect(ended.state).toBe('failed')
  const [bill] = await billsOf(at)
  await writeBill('bill-failed', bill)
})

test('bills-denied', async () => {
  storage.denies = true
  const { ended, at } = await ingest()
  storage.denies = false
  expect(ended.state).toBe('failed')
  await writeHistory(client, 'bills-denied', ingestBillingId(at))
})

test('uploads-ingested, upload-loaded', async () => {
  const org = await harness.organization()
  const user = await org.user('Owner')
  const [, ...october] = focusCsv('2026-10', [3, 4]).split('\n')
  const content = `${focusCsv('2026-09', [1, 2])}${october.join('\n')}`
  const { sourceId, uploadId } = await waitingUpload(harness, org.id, { source: 'dc', content })
  // The sweep of the worker starts it.
  const ingestId = await eventually(async () => {
    const [row] = (await user.get('/api/finops/ingests')).json().ingests
    return row && Number(row.id)
  })
  expect(await endedIngest(user, ingestId)).toMatchObject({ state: 'succeeded', rowsRead: 4 })
  const at = { organizationId: org.id, ingestId }
  await writeHistory(client, 'uploads-ingested', ingestBillingId(at))
  await writeBill('upload-loaded', { ...at, sourceId, uploadId })
})
