import { describe, expect, test } from 'vitest'
import { dayInWords, daysInWords, totalInWords } from './unit-words.ts'

const of = { unit: 'order', currency: 'USD' }
const measured = (days: number, value: number | null) => ({ days, cost: 12, value })

describe('the cost per unit of a period', () => {
  test('is its amount', () => {
    const total = { value: 30, costPerUnit: 0.5, measured: measured(2, 24) }
    expect(totalInWords(total, of)).toBe('$0.50 per order')
    expect(daysInWords(total)).toBe('on 2 complete days with a value')
  })

  test('or why there is none: no values, no complete day, or none of the unit', () => {
    const none = { costPerUnit: null, measured: measured(0, null) }
    expect(totalInWords({ ...none, value: null }, of)).toBe('No values')
    expect(totalInWords({ ...none, value: 30 }, of)).toBe('No complete day with a value')
    const zero = { value: 0, costPerUnit: null, measured: measured(1, 0) }
    expect(totalInWords(zero, of)).toBe('No order in this period')
    expect(daysInWords(zero)).toBe('on 1 complete day with a value')
  })
})

test('a day shows its cost per unit only where its bills are complete', () => {
  const day = { value: 4, costPerUnit: 0.5, isComplete: true }
  const words = (amount: number) => `$${amount}`
  expect(dayInWords(day, words)).toBe('$0.5')
  expect(dayInWords({ ...day, isComplete: false }, words)).toBe('not complete')
  expect(dayInWords({ ...day, costPerUnit: null }, words)).toBe('none')
  expect(dayInWords({ value: null, costPerUnit: null, isComplete: false }, words)).toBe('none')
})
