import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { testBills } from '../../harness/bills.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { focusCsv } from '../../harness/finops/focus-csv.ts'
import { billReading, ingestSteps, type BillReading } from '../../harness/finops/ingest-steps.ts'

let harness: Harness
let reading: BillReading
let steps: Awaited<ReturnType<typeof ingestSteps>>
let bills: ReturnType<typeof testBills>
beforeAll(async () => {
  harness = await createHarness()
  reading = await billReading(harness)
})
afterAll(async () => {
  await reading.close()
  await harness.close()
})
beforeEach(async () => {
  steps = await ingestSteps(harness, reading)
  bills = testBills(harness.deps.store, steps.organizationId)
})

type Current = { through: string | null; isToBeScored: boolean }

/** As if the files of each month had been found when its last days were not complete yet. */
async function foundBeforeItsEnd(): Promise<void> {
  await bills.ask(`update billing_slices set complete_through = period, score_at = null
    where organization_id = :organizationId and is_current`)
}
async function current(): Promise<Current[]> {
  const rows =
    await bills.ask(`select complete_through::text as through, score_at is not null as "isToBeScored"
    from billing_slices where organization_id = :organizationId and is_current order by period`)
  return rows as Current[]
}

describe('a look that finds the files of a month as they were', () => {
  test('of a month that is over: it is complete to its last day, and is scored again, once', async () => {
    steps.cloud.months = { '2026-08': focusCsv('2026-08', [1, 2, 3]) }
    await steps.ingest()
    await foundBeforeItsEnd()
    const before = await bills.version()

    expect((await steps.ingest(2)).slices).toMatchObject([{ state: 'unchanged' }])
    expect(await current()).toEqual([{ through: '2026-08-03', isToBeScored: true }])
    expect(await bills.version()).toBe(before + 1)

    await steps.ingest()
    expect(await bills.version()).toBe(before + 1)
  })

  test('of the month that goes on: the export stands still, and no day becomes complete', async () => {
    const month = new Date().toISOString().slice(0, 7)
    steps.cloud.months = { [month]: focusCsv(month, [1, 2, 3]) }
    await steps.ingest()
    await foundBeforeItsEnd()

    expect((await steps.ingest()).slices).toMatchObject([{ state: 'unchanged' }])
    expect(await current()).toEqual([{ through: `${month}-01`, isToBeScored: false }])
  })

  test('other files are read, and the days are complete as of them', async () => {
    steps.cloud.months = { '2026-08': focusCsv('2026-08', [1, 2, 3]) }
    await steps.ingest()
    steps.cloud.months = { '2026-08': focusCsv('2026-08', [1, 2, 3, 4]) }
    await steps.ingest()
    expect(await current()).toEqual([{ through: '2026-08-04', isToBeScored: false }])
  })
})
