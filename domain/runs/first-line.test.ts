import { expect, test } from 'vitest'
import { firstLineOf } from './first-line.ts'

test.each([
  ['Widen the net\n\nBecause it is small.', 'Widen the net'],
  ['\n  Widen the net \r\nmore', 'Widen the net'],
  ['a\u001b[31mb\u0007\tc\u202ed\u2028e', 'ab cde'],
  [' \n\t\n', null],
  ['', null],
  [`${'x'.repeat(499)}😀y`, `${'x'.repeat(499)}😀`],
])('%j', (message, line) => {
  expect(firstLineOf(message)).toBe(line)
})
