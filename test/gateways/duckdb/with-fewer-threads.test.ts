import { expect, test } from 'vitest'
import { duckdbRefusal } from '../../../gateways/duckdb/program/duckdb-refusal.ts'
import { withFewerThreads } from '../../../gateways/duckdb/program/with-fewer-threads.ts'

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

const reads = (error: unknown) => {
  const tried: number[] = []
  return {
    tried,
    answer: withFewerThreads(async (threads) => {
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
