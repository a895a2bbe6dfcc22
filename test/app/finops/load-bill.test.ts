import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadBill } from '../../../app/finops/load-bill.ts'
import { copyColumns } from '../../../domain/finops/focus/charge-columns.ts'
import { testBills } from '../../harness/bills.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

let harness: Harness
let folder: string
beforeAll(async () => {
  harness = await createHarness()
  folder = await mkdtemp(join(tmpdir(), 'cc-load-'))
})
afterAll(async () => {
  await harness.close()
  await rm(folder, { recursive: true, force: true })
})

async function load(charges: string | undefined): Promise<number[]> {
  const org = await harness.organization()
  const bills = testBills(harness.deps.store, org.id)
  const sourceId = await bills.source()
  const { id: sliceId, ingestId } = await bills.reading(sourceId, [{}])
  const path = join(folder, `${sliceId}.csv`)
  if (charges !== undefined) await writeFile(path, charges)
  const none = '0.000000000000'
  const day = '2026-03-01'
  const slice = {
    period: '2026-03',
    path,
    rows: 1,
    rowsRead: 1,
    days: 1,
    billed: none,
    effective: none,
    list: none,
    currency: 'USD',
    firstDay: day,
    lastDay: day,
  }
  return loadBill(harness.deps.store, {
    organizationId: org.id,
    ingestId,
    sourceId,
    sliceId,
    files: [{ key: 'bill.csv' }],
    tagAliases: {},
    bill: { kind: 'read', focusVersion: '1.2', slices: [slice], rejected: 0 },
  })
}

test.each([
  ['no date', 'today,is,no,charge\n'],
  ['no day', `${','.repeat(copyColumns.length - 1)}\n`],
])('409: a value that PostgreSQL refuses is refused for good: %s', async (_, charges) => {
  await expect(load(charges)).rejects.toMatchObject({ fault: 'conflict', code: 'bill_refused' })
})

test('a file that is gone is no fault of the bill', async () => {
  await expect(load(undefined)).rejects.toMatchObject({ code: 'ENOENT' })
})
