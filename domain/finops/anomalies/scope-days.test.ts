import { expect, test } from 'vitest'
import { scopeDays } from './scope-days.ts'

const source = (id: number, completeThrough: string | null, firstDay = '2026-01-01') => ({
  id,
  firstDay,
  completeThrough,
  newest: completeThrough && `${completeThrough.slice(0, 7)}-01`,
})

test('a day is complete when it is on all bills that still come', () => {
  expect(scopeDays([source(1, '2026-03-20'), source(2, '2026-03-18', '2025-12-05')], null)).toEqual(
    {
      firstDay: '2025-12-05',
      through: '2026-03-18',
    },
  )
  expect(scopeDays([source(1, '2026-03-20'), source(2, '2026-01-31')], null)?.through).toBe(
    '2026-03-20',
  )
  expect(scopeDays([], null)).toBeUndefined()
  expect(scopeDays([source(1, null)], null)).toBeUndefined()
})

test('a source that is added late takes no scored day back, and a bill that shrinks does', () => {
  const sources = [source(1, '2026-03-20'), source(2, '2026-03-02')]
  expect(scopeDays(sources, '2026-03-19')?.through).toBe('2026-03-19')
  expect(scopeDays([source(1, '2026-03-12')], '2026-03-19')?.through).toBe('2026-03-12')
})
