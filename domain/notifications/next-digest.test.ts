import { expect, test } from 'vitest'
import { nextDigest } from './next-digest.ts'

test.each([
  ['2026-11-23T07:59:59.999Z', '2026-11-23T08:00:00.000Z'],
  ['2026-11-23T08:00:00.000Z', '2026-11-24T08:00:00.000Z'],
  ['2026-12-31T23:00:00.000Z', '2027-01-01T08:00:00.000Z'],
])('after %s it is due at %s', (now, due) => {
  expect(nextDigest(new Date(now)).toISOString()).toBe(due)
})
