import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBillPlaces } from '../../activities/finops/bill-places.ts'
import type { Deps } from '../../activities/deps.ts'
import { startIngest } from '../../app/finops/start-ingest.ts'
import { billingSweepTask } from '../../worker/tasks/billing-sweep.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { focusCsv } from '../harness/finops/focus-csv.ts'
import { waitingUpload } from '../harness/finops/waiting-upload.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

const sweep = async (workflowState: Deps['workflowState']) =>
  billingSweepTask({
    store: harness.deps.store,
    log: harness.deps.log,
    workflowState,
    billingDir: join(harness.config.dataDir, 'nosuch'),
    billPlaces: createBillPlaces({ readers: 1, billBytes: 1024 ** 3 }),
  }).run()

/** An ingest that began an hour ago, and whose start is still in the outbox. */
async function oldIngest() {
  const { id: organizationId } = await harness.organization()
  const { store } = harness.deps
  await waitingUpload(harness, organizationId, { source: 'dc', content: focusCsv('2026-09', [1]) })
  const { ingestId } = await store.tenant(organizationId, async (tenant) =>
    startIngest(tenant, { trigger: 'upload' }),
  )
  const ingest = () => store.platform('billing_ingests').where({ id: ingestId })
  await ingest().update({ startedAt: new Date(Date.now() - 60 * 60_000) })
  return {
    outbox: () => store.platform('outbox').where({ organizationId }),
    state: async () => (await ingest().first()).state,
  }
}

test('an ingest whose start waits in the outbox is not lost, however long Temporal is away', async () => {
  const waiting = await oldIngest()
  expect(await waiting.outbox()).toMatchObject([{ kind: 'start', doneAt: null }])
  await sweep(async () => 'missing')
  expect(await waiting.state()).toBe('running')
  // One that Temporal never takes has no workflow to come.
  await waiting.outbox().update({ deadAt: new Date() })
  await sweep(async () => 'missing')
  expect(await waiting.state()).toBe('failed')
})

test('an ingest whose workflow Temporal has lost is ended', async () => {
  const lost = await oldIngest()
  await lost.outbox().update({ doneAt: new Date() })
  await sweep(async () => 'running')
  expect(await lost.state()).toBe('running')
  await sweep(async () => 'missing')
  expect(await lost.state()).toBe('failed')
})
