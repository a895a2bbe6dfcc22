import { temporal } from '@temporalio/proto'
import type { Client } from '@temporalio/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ingestBillingId } from '../../../workflows/finops/contract.ts'
import { historyClient } from '../../histories/write-history.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { eventually } from '../../harness/eventually.ts'
import { endedIngest } from '../../harness/finops/bill-form.ts'
import { billedStorage, type BilledStorage } from '../../harness/finops/billed-storage.ts'
import { focusCsv } from '../../harness/finops/focus-csv.ts'
import type { TestUser } from '../../harness/test-user.ts'

const months = ['2026-08', '2026-09', '2026-10']

describe('a storage that sends nothing of three bills, at a worker that reads one bill at a time', () => {
  let storage: BilledStorage
  let harness: Harness
  let client: Client
  let slow: TestUser
  let other: TestUser
  beforeAll(async () => {
    storage = await billedStorage()
    const env = { CC_PRIVATE_HOSTS: storage.hosts, CC_BILLING_SLOTS: '1' }
    harness = await createHarness({ worker: true, env })
    client = await historyClient(harness)
    slow = await (await harness.organization()).user('Owner')
    other = await (await harness.organization()).user('Owner')
    for (const user of [slow, other]) {
      storage.put(user.organizationId, '2026-10', focusCsv('2026-10', [1]))
      await storage.connect(user)
    }
  })
  afterAll(async () => {
    await client?.connection.close()
    await harness?.close()
    await storage?.close()
  })

  test('another organization has its bill meanwhile, and the three are taken one by one', async () => {
    for (const [at, month] of months.entries())
      storage.put(slow.organizationId, month, focusCsv(month, [10 + at]))
    storage.put(other.organizationId, '2026-10', focusCsv('2026-10', [2]))
    const gate = storage.hold(slow.organizationId, 'file')
    const asked = slow.post('/api/finops/ingest', {})
    await eventually(async () => gate.reached())

    const quick = (await other.post('/api/finops/ingest', {})).json().ingest
    expect(await endedIngest(other, quick.id)).toMatchObject({
      state: 'succeeded',
      recordsUpserted: 1,
    })
    const { ingests } = (await slow.get('/api/finops/ingests')).json()
    expect(ingests[0]).toMatchObject({ state: 'running' })

    gate.open()
    const { id } = (await asked).json().ingest
    expect(await endedIngest(slow, id)).toMatchObject({ state: 'succeeded', recordsUpserted: 3 })
    expect(await mostChildren({ organizationId: slow.organizationId, ingestId: Number(id) })).toBe(
      1,
    )
  }, 120_000)

  /** How many bills of the ingest were under way at once. */
  async function mostChildren(ingest: Parameters<typeof ingestBillingId>[0]): Promise<number> {
    const { events } = await client.workflow.getHandle(ingestBillingId(ingest)).fetchHistory()
    const { EventType } = temporal.api.enums.v1
    let open = 0
    let most = 0
    for (const { eventType } of events ?? []) {
      if (eventType === EventType.EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_INITIATED) open += 1
      if (eventType === EventType.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_COMPLETED) open -= 1
      most = Math.max(most, open)
    }
    return most
  }
})
