import { describe, expect, test } from 'vitest'
import { formatDecimal, parseDecimal } from './decimal.ts'

describe('decimals', () => {
  test.each([
    ['0', '0'],
    ['70.080000000000', '70.08'],
    ['0.1', '0.1'],
    ['-0.000000000001', '-0.000000000001'],
    ['999999999999999999.999999999999', '999999999999999999.999999999999'],
    ['007', '7'],
    ['-0', '0'],
  ])('%s is %s', (text, shown) => {
    expect(formatDecimal(parseDecimal(text))).toBe(shown)
  })

  test('0.1 and 0.2 are 0.3', () => {
    expect(formatDecimal(parseDecimal('0.1') + parseDecimal('0.2'))).toBe('0.3')
  })

  test.each([
    '',
    '1e3',
    'NaN',
    '1,5',
    '.5',
    '5.',
    '+1',
    ' 1',
    '1.0000000000001',
    '1234567890123456789',
  ])('refuses %j', (text) => {
    expect(() => parseDecimal(text)).toThrow(RangeError)
  })
})
