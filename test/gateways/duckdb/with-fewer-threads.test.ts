import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { duckdbRefusal } from '../../../gateways/duckdb/program/duckdb-refusal.ts'
import { readFiles } from '../../../gateways/duckdb/program/read-files.ts'
import { withFewerThreads } from '../../../gateways/duckdb/program/with-fewer-threads.ts'
import { billFolder, type BillFolder } from './bills.ts'

let bills: BillFolder
beforeAll(async () => {
  bills = await billFolder()
})
afterAll(async () => bills.close())

const outOfMemory = duckdbRefusal(
  { key: 'bill' },
  new Error(
    'Out of Memory Error: could not allocate block of size 30.5 MiB (483.3 MiB/512.0 MiB used)',
  ),
)
const fileTooLarge = duckdbRefusal(
  { key: 'bill' },
  new Error('IO Error: Could not write file "/bench/scratch/a.tmp": File too large'),
)
const damaged = duckdbRefusal({ key: 'bill' }, new Error('Invalid Input Error: no Parquet'))

/** Empty folders, as the program gets them. */
function folders() {
  const root = mkdtempSync(join(tmpdir(), 'cc-threads-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const own = { outFolder: join(root, 'out'), scratchFolder: join(root, 'scratch') }
  for (const folder of Object.values(own)) mkdirSync(folder)
  return own
}

const reads = (error: unknown) => {
  const tried: number[] = []
  return {
    tried,
    answer: withFewerThreads(folders(), async (threads) => {
      tried.push(threads)
      if (threads > 1) throw error
      return 'read'
    }),
  }
}

test.each([
  ['memory', outOfMemory],
  ['room on the disk', fileTooLarge],
])('what two threads have too little %s for is read by one', async (_, error) => {
  const { tried, answer } = reads(error)
  expect(await answer).toBe('read')
  expect(tried).toEqual([2, 1])
})

test('what is damaged is read once', async () => {
  const { tried, answer } = reads(damaged)
  await expect(answer).rejects.toBe(damaged)
  expect(tried).toEqual([2])
})

test('rows that two threads wrote before they had too little are not in the files of one', async () => {
  const path = await bills.write('appended.csv', {
    BillingPeriodStart: `TIMESTAMP '2026-08-01' + to_months(CAST(i % 2 AS INTEGER))`,
  })
  const { outFolder, scratchFolder } = folders()
  const request = {
    files: [{ path, key: 'bills/appended.csv' }],
    tagAliases: {},
    provider: null,
    outFolder,
    scratchFolder,
    memoryBytes: 256 * 1024 ** 2,
    scratchBytes: 1024 ** 3,
    unpackedBytes: 1024 ** 3,
  }
  const answer = await withFewerThreads(request, async (threads) => {
    const read = await readFiles(request, threads)
    if (threads === 1) return read
    // What DuckDB spilled may be left, and a part that was not appended yet.
    for (const folder of [outFolder, scratchFolder]) writeFileSync(join(folder, 'part'), 'left')
    throw outOfMemory
  })
  if (answer.kind !== 'read') throw new Error(JSON.stringify(answer))
  expect(answer.slices.map(({ period }) => period)).toEqual(['2026-08', '2026-09'])
  for (const slice of answer.slices)
    expect(await bills.charges(slice.path)).toHaveLength(slice.rows)
  expect(readdirSync(outFolder).toSorted()).toEqual(['2026-08.csv', '2026-09.csv'])
  expect(readdirSync(scratchFolder)).toEqual([])
})
