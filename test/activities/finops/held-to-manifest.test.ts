import { expect, test } from 'vitest'
import { heldToManifest } from '../../../activities/finops/take-bill.ts'
import type { ProgramAnswer, ReadSlice } from '../../../gateways/duckdb/program/protocol.ts'

const month = (period: string, rowsRead: number) => ({ period, rowsRead }) as ReadSlice
const bill: ProgramAnswer = {
  kind: 'read',
  focusVersion: '1.0',
  slices: [month('2026-09', 900), month('2026-10', 100)],
  rejected: 0,
}

test('a bill with as many rows as its manifest promises, or with none promised, is taken', () => {
  expect(heldToManifest(bill, 1_000)).toBe(bill)
  expect(heldToManifest(bill, null)).toBe(bill)
})

test.each([999, 1_001, 0])('one with other rows than the %i promised is refused', (rows) => {
  expect(heldToManifest(bill, rows)).toMatchObject({
    kind: 'refused',
    errors: [
      { message: expect.stringContaining(`promises ${rows} rows, and its files have 1000`) },
    ],
  })
})
