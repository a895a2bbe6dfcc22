import { MockActivityEnvironment } from '@temporalio/testing'
import { expect, test } from 'vitest'
import { endSource } from '../../../activities/finops/end-source.ts'
import { createHarness } from '../../harness/create-harness.ts'
import { dailyBills, levelCost } from '../../harness/daily-bills.ts'

test('the end of a source scores what the ingest loaded of it; twice counts once', async () => {
  const harness = await createHarness()
  try {
    const org = await harness.organization()
    const bills = dailyBills(harness.deps.store, org.id)
    const sourceId = await bills.source()
    await bills.load(sourceId, levelCost('2026-03-01', 30, { at: { 29: 900 } }))
    const [ingest] = await bills.ask('select max(ingest_id) as id from billing_slices')
    const at = { organizationId: org.id, ingestId: Number(ingest?.['id']), sourceId }
    await bills.ask(
      `insert into billing_ingest_sources (organization_id, ingest_id, source_id, state)
       values (:organizationId, :ingestId, :sourceId, 'waiting')`,
      at,
    )
    const counted = async () =>
      bills.ask('select anomalies from billing_ingests where id = :ingestId', at)
    const attempt = async (number: number) =>
      new MockActivityEnvironment({ attempt: number }).run(endSource(harness.deps), at)
    // A fault of the scoring is no reason for an ingest without end.
    await attempt(11)
    expect(await counted()).toEqual([{ anomalies: 0 }])
    await attempt(1)
    expect(await counted()).toEqual([{ anomalies: 1 }])
    await attempt(2)
    expect(await counted()).toEqual([{ anomalies: 1 }])
    expect(await bills.ask('select state from anomalies')).toEqual([{ state: 'open' }])
  } finally {
    await harness.close()
  }
})
