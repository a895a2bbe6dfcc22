import { expect, test } from 'vitest'
import { refusalOfUpload } from '../../../api/finops/uploads/upload-bill.ts'
import type { IngestBody } from '../../../api/finops/ingests/schemas.ts'

const refused = (uploadId: number, reason: string) => ({
  id: uploadId,
  period: null,
  state: 'refused' as const,
  reason,
  manifest: `upload ${uploadId}`,
  files: 1,
  rowsRead: 0,
  recordsUpserted: 0,
  recordsRemoved: 0,
  recordsRejected: 1,
  billed: 0,
  effective: 0,
  list: 0,
  currency: null,
  completeThrough: null,
  errors: [{ file: `${uploadId}.csv`, row: 2, column: 'BilledCost', message: reason }],
})
const ingest: IngestBody = {
  id: 1,
  trigger: 'upload',
  state: 'partial',
  startedAt: '2026-11-23T00:00:00.000Z',
  endedAt: null,
  rowsRead: 0,
  recordsUpserted: 0,
  recordsRejected: 2,
  anomalies: 0,
  accounts: [
    {
      accountId: null,
      source: 'dc',
      name: 'dc',
      state: 'partial',
      reason: null,
      slices: [refused(7, 'is no number'), refused(9, 'is no date')],
    },
  ],
}

test('an upload answers for itself alone, not for others of its source in the same ingest', () => {
  expect(refusalOfUpload(ingest, 8)).toBeUndefined()
  expect(refusalOfUpload(ingest, 9)).toMatchObject({
    code: 'bill_refused',
    message: 'is no date',
    details: [{ path: '9.csv', message: 'BilledCost: row 2: is no date' }],
  })
})
