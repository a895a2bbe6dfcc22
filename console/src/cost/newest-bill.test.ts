import { expect, test } from 'vitest'
import { newestBill } from './newest-bill.ts'

const july = { from: '2026-07-01', to: '2026-07-31' }
const source = (completeThrough: string | null) => ({ completeThrough })

test('the newest bill is that of the source which goes furthest, with its month', () => {
  const sources = [source('2024-08-31'), source(null), source('2024-09-28')]
  expect(newestBill(sources, july)).toEqual({
    day: '2024-09-28',
    month: 'September 2024',
    from: '2024-09-01',
    to: '2024-09-30',
  })
})

test('a month ends on its last day', () => {
  expect(newestBill([source('2024-02-10')], july)?.to).toBe('2024-02-29')
  expect(newestBill([source('2025-12-31')], july)?.to).toBe('2025-12-31')
})

test('no bill is offered where none has a day, or where the period holds its newest day', () => {
  expect(newestBill([], july)).toBeUndefined()
  expect(newestBill([source(null)], july)).toBeUndefined()
  expect(newestBill([source('2026-07-12')], july)).toBeUndefined()
})
