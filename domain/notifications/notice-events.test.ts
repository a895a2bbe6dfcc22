import { expect, test } from 'vitest'
import { matchesEvent, noticeEvents } from './notice-events.ts'

const matched = (pattern: string) => noticeEvents.filter((event) => matchesEvent(pattern, event))

test('a pattern is an event, or has stars for any characters', () => {
  expect(matched('*')).toEqual(noticeEvents)
  expect(matched('budget.*')).toEqual(['budget.warn', 'budget.exceeded'])
  expect(matched('*.degraded')).toEqual(['account.degraded'])
  expect(matched('a*.*e*')).toEqual(['anomaly.opened', 'account.degraded', 'account.recovered'])
  expect(matched('budget.warn')).toEqual(['budget.warn'])
})

test('a piece is not counted twice, and a beginning is no match', () => {
  expect(matchesEvent('budget.warn*warn', 'budget.warn')).toBe(false)
  expect(matched('budget')).toEqual([])
  expect(matched('budget.')).toEqual([])
  expect(matched('')).toEqual([])
})

test('many stars take no exponential time', () => {
  const started = performance.now()
  expect(matchesEvent(`${'*a'.repeat(500)}b`, 'a'.repeat(1_000))).toBe(false)
  expect(performance.now() - started).toBeLessThan(200)
})
