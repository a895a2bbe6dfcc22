import { expect, test } from 'vitest'
import { packRows } from './pack-rows.ts'

test('rows are in batches of bounded size, in order and without a gap', () => {
  const rows = Array.from({ length: 100 }, (_, n) => ({ n, text: 'x'.repeat(n * 10) }))
  const batches = [...packRows(rows, 4_096)]
  expect(batches.flatMap(({ json }) => JSON.parse(json))).toEqual(rows)
  expect(batches[0]?.firstSeq).toBe(1)
  for (const [at, { firstSeq, lastSeq, json }] of batches.entries()) {
    expect(firstSeq).toBe((batches[at - 1]?.lastSeq ?? 0) + 1)
    expect(JSON.parse(json)).toHaveLength(lastSeq - firstSeq + 1)
    expect(Buffer.byteLength(json)).toBeLessThanOrEqual(4_096 + 2)
  }
  expect([...packRows([])]).toEqual([])
})

test('a row that is larger than a batch is a batch by itself', () => {
  const batches = [...packRows(['a', 'x'.repeat(100), 'b'], 50)]
  expect(batches.map(({ firstSeq, lastSeq }) => [firstSeq, lastSeq])).toEqual([
    [1, 1],
    [2, 2],
    [3, 3],
  ])
})
