import { expect, test } from 'vitest'
import { approvalExpiry } from './approval-expiry.ts'

test('an approval expires the hours of the settings after the run begins to wait', () => {
  expect(approvalExpiry({ approvalExpiryHours: 36 }, new Date('2026-11-30T06:00:00Z'))).toEqual(
    new Date('2026-12-01T18:00:00Z'),
  )
})
