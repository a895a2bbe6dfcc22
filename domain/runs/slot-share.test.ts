import { expect, test } from 'vitest'
import { slotShare } from './slot-share.ts'

test('beside others an organization holds three quarters of the slots, and never the last one', () => {
  const shares = [1, 2, 3, 4, 5, 6, 8, 20].map((slots) => slotShare(slots, { hasOthers: true }))
  // One slot cannot be shared: whoever comes next waits until its step ends.
  expect(shares).toEqual([1, 1, 2, 3, 4, 5, 6, 15])
})

test('the only organization holds all slots', () => {
  expect([1, 2, 4].map((slots) => slotShare(slots, { hasOthers: false }))).toEqual([1, 2, 4])
})
