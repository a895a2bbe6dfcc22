import { expect, test } from 'vitest'
import { whyShrunk } from './shrunk-slice.ts'

const held = { records: 100, days: 10, billed: '1000', effective: '800.5' }

test.each([
  ['the same', {}],
  ['more', { records: 200, days: 11, billed: '2000', effective: '2000' }],
  ['half of the rows and of the cost', { records: 50, billed: '500', effective: '400.25' }],
])('an export with %s is loaded', (_, change) => {
  expect(whyShrunk({ ...held, ...change }, held)).toBeUndefined()
})

test.each([
  ['9 days in place of 10', { days: 9 }],
  ['49 rows in place of 100', { records: 49 }],
  ['under half of the cost', { billed: '499.999999999999' }],
  ['under half of the cost', { effective: '400.249999999999' }],
  ['under half of the cost', { effective: '-1' }],
])('an export is suspect that has %s', (words, change) => {
  expect(whyShrunk({ ...held, ...change }, held)).toContain(words)
})

test('a month of credits can become smaller', () => {
  const credits = { ...held, billed: '-1000', effective: '0' }
  expect(whyShrunk({ ...credits, billed: '-3000', effective: '-5' }, credits)).toBeUndefined()
})
