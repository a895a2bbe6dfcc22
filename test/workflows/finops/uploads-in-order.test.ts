import { temporal } from '@temporalio/proto'
import type { Client } from '@temporalio/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startIngest } from '../../../app/finops/start-ingest.ts'
import { ingestBillingId } from '../../../workflows/finops/contract.ts'
import { historyClient } from '../../histories/write-history.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { endedIngest } from '../../harness/finops/bill-form.ts'
import { focusCsv } from '../../harness/finops/focus-csv.ts'
import { waitingUpload } from '../../harness/finops/waiting-upload.ts'

describe('uploads of one source that wait together', () => {
  let harness: Harness
  let client: Client
  beforeAll(async () => {
    harness = await createHarness({ worker: true })
    client = await historyClient(harness)
  })
  afterAll(async () => {
    await client?.connection.close()
    await harness?.close()
  })

  test('are read one after the other, so that of one month the newest stays', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const contents = [
      [1, 2],
      [5, 6],
      [3, 4],
    ].map((costs) => focusCsv('2026-09', costs))
    for (const content of contents) await waitingUpload(harness, org.id, { source: 'dc', content })
    // The sweep of the worker may have been first.
    const { ingestId } = await harness.deps.store.tenant(org.id, async (tenant) =>
      startIngest(tenant, { trigger: 'upload' }),
    )
    await endedIngest(owner, ingestId)
    const { rows } = await harness.deps.store.platform.raw(
      `select s.billed::float8, s.manifest = 'upload ' || (select max(id) from billing_uploads u
         where u.organization_id = s.organization_id) as "isNewest"
       from billing_slices s where s.organization_id = ? and s.is_current`,
      [org.id],
    )
    expect(rows).toEqual([{ billed: 7, isNewest: true }])

    const { events } = await client.workflow
      .getHandle(ingestBillingId({ organizationId: org.id, ingestId }))
      .fetchHistory()
    const { EventType } = temporal.api.enums.v1
    let open = 0
    for (const { eventType } of events ?? []) {
      if (eventType === EventType.EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_INITIATED) open += 1
      if (eventType === EventType.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_COMPLETED) open -= 1
      expect(open).toBeLessThanOrEqual(1)
    }
  }, 120_000)
})
