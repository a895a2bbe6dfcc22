import { describe, expect, test } from 'vitest'
import { dayAfter } from './days.ts'
import { excessOfPart, excessOfService, explainedByDay } from './explained-excess.ts'

const anomaly = { seriesId: 1, firstDay: '2026-03-10', lastDay: '2026-03-12' }
const days = (from: string, count: number, cost: number | { amount: number; expected: number }) =>
  Array.from({ length: count }, (_, at) => ({
    day: dayAfter(from, at),
    ...(typeof cost === 'number' ? { amount: cost, expected: 100 } : cost),
  }))
const daysOf = (excesses: ReadonlyArray<{ day: string }>) => excesses.map(({ day }) => day)

describe('what an anomaly of a service explains', () => {
  test('its excess from three days before it to seven after it, and no saving', () => {
    const all = [...days('2026-03-01', 14, 150), ...days('2026-03-15', 10, 150)]
    const excesses = excessOfService(anomaly, all)
    expect(daysOf(excesses).at(0)).toBe('2026-03-07')
    expect(daysOf(excesses).at(-1)).toBe('2026-03-19')
    expect(excesses).toHaveLength(13)
    expect(new Set(excesses.map(({ excess }) => excess))).toEqual(new Set([50]))
    expect(excessOfService(anomaly, days('2026-03-01', 30, 90))).toEqual([])
  })

  test('after it, the level that was expected on its last day: the service has learned, the total may have not', () => {
    const learned = [
      ...days('2026-03-10', 3, 300),
      ...days('2026-03-13', 5, { amount: 300, expected: 300 }),
    ]
    expect(excessOfService(anomaly, learned).map(({ excess }) => excess)).toEqual(
      Array.from({ length: 8 }, () => 200),
    )
  })

  test('of a part, what it costs more than on its own weekdays before', () => {
    const weekend = (day: string) => new Date(day).getUTCDay() % 6 === 0
    const before = days('2026-02-01', 34, 80).map(({ day }) => ({
      day,
      amount: weekend(day) ? 20 : 80,
    }))
    const risen = days('2026-03-07', 7, 0).map(({ day }) => ({
      day,
      amount: weekend(day) ? 50 : 110,
    }))
    const excesses = excessOfPart(anomaly, [...before, ...risen])
    expect(excesses).toHaveLength(7)
    expect(new Set(excesses.map(({ excess }) => excess))).toEqual(new Set([30]))
    // A part that was not there before is news as a whole.
    expect(excessOfPart(anomaly, risen).map(({ excess }) => excess)).toContain(110)
  })

  test('a series counts once a day, and services add up', () => {
    const sums = explainedByDay([
      { seriesId: 1, day: '2026-03-10', excess: 60 },
      { seriesId: 1, day: '2026-03-10', excess: 40 },
      { seriesId: 2, day: '2026-03-10', excess: 5 },
      { seriesId: 2, day: '2026-03-11', excess: 7 },
    ])
    expect([...sums]).toEqual([
      ['2026-03-10', 65],
      ['2026-03-11', 7],
    ])
  })
})
