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

const manifest = 'costs/focus/20260901-20260930/run/manifest.json'
const promised = (rows: number) => ({ rows, manifest, isCounted: false })

test('a bill with as many rows as its manifest promises, or with none promised, is taken', () => {
  expect(heldToManifest(bill, promised(1_000))).toBe(bill)
  expect(heldToManifest(bill, null)).toBe(bill)
})

test.each([999, 1_001, 0])('one with other rows than the %i promised is refused', (rows) => {
  expect(heldToManifest(bill, promised(rows))).toMatchObject({
    kind: 'refused',
    errors: [
      {
        file: manifest,
        message: expect.stringContaining(`promises ${rows} rows, and its files have 1000`),
      },
    ],
  })
})

test('of a table, the lines are told that BigQuery counted', () => {
  const counted = { rows: 999, manifest: 'bigquery project.costs.focus', isCounted: true }
  expect(heldToManifest(bill, counted)).toMatchObject({
    errors: [
      {
        file: 'bigquery project.costs.focus',
        message: expect.stringMatching(/^BigQuery counted 999 lines, and 1000 were read\./),
      },
    ],
  })
})
