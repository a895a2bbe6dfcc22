import { describe, expect, test } from 'vitest'
import { decimalText } from '../../../api/finops/decimal-text.ts'

describe('decimalText', () => {
  test.each([
    [0, '0'],
    [0.1, '0.1'],
    [0.1 + 0.2, '0.3'],
    [1e-7, '0.0000001'],
    [1e-12, '0.000000000001'],
    [70.08, '70.08'],
    [1e15, '1000000000000000'],
    [12345678901234.12, '12345678901234.12'],
    [0.0000000000015, '0.000000000002'],
  ])('%d is %s', (amount, text) => {
    expect(decimalText(amount)).toBe(text)
  })

  test.each([1e-13, -1, Number.NaN, Number.POSITIVE_INFINITY])('%d is not an amount', (amount) => {
    expect(decimalText(amount)).toBeUndefined()
  })
})
