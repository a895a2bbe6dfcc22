import { describe, expect, test } from 'vitest'
import { dayAfter } from './days.ts'
import { groupAnomalies } from './group-anomalies.ts'
import type { ScoredDay } from './scored-day.ts'
import { unexplainedDays, type ExplainedDay } from './unexplained-days.ts'

const first = '2026-03-01'
const minimum = 5

/** A total that is expected to cost 1,000, is flagged above 1,200, and costs as much as each number says. */
const total = (costs: ReadonlyArray<[actual: number, explained: number]>): ExplainedDay[] => {
  let run = 0
  return costs.map(([actual, explained], at) => {
    run = actual > 1_200 ? run + 1 : 0
    return { ...usual, day: dayAfter(first, at), actual, explained, run, kind: run ? 'rise' : null }
  })
}
const usual: Omit<ScoredDay, 'day' | 'actual' | 'run' | 'kind'> = {
  expected: 1_000,
  low: 800,
  high: 1_200,
  scale: 33,
  isLearned: false,
  drift: 0,
  share: 1,
  weekly: 1_000,
  monthly: null,
}
const found = (costs: ReadonlyArray<[number, number]>) =>
  groupAnomalies(unexplainedDays(total(costs), minimum))

describe('what services leave unexplained', () => {
  test('nothing explained: it is told as it was scored', () => {
    expect(
      found([
        [1_000, 0],
        [1_500, 0],
        [1_600, 0],
        [1_000, 0],
      ]),
    ).toMatchObject([
      {
        firstDay: '2026-03-02',
        lastDay: '2026-03-03',
        day: '2026-03-03',
        impact: 1_100,
        expected: 1_000,
      },
    ])
  })

  test('all explained, or all but what is usual: nothing is told', () => {
    expect(
      found([
        [1_500, 500],
        [1_600, 900],
      ]),
    ).toEqual([])
    // 190 more than expected are left: above 15 %, and within the band.
    expect(found([[1_500, 310]])).toEqual([])
    expect(found([[1_500, 299]])).toHaveLength(1)
  })

  test('a part: the rest is told, with what is explained counted as expected', () => {
    expect(found([[1_900, 500]])).toMatchObject([
      { actual: 1_900, expected: 1_500, low: 1_300, high: 1_700, impact: 400 },
    ])
  })

  test('days of one run that are explained first: the event begins with the first that is left', () => {
    const long = Array.from({ length: 20 }, (): [number, number] => [1_000, 0])
    const days: Array<[number, number]> = [
      [1_500, 0],
      ...long,
      [1_500, 500],
      [1_500, 480],
      [1_500, 0],
    ]
    expect(found(days).map(({ firstDay, lastDay }) => [firstDay, lastDay])).toEqual([
      ['2026-03-01', '2026-03-01'],
      [dayAfter(first, 23), dayAfter(first, 23)],
    ])
  })

  test('a drift below the band is held against both floors', () => {
    const [day] = total([[1_180, 20]])
    if (!day) throw new Error('no day')
    const drift = (explained: number, least = minimum) =>
      unexplainedDays([{ ...day, kind: 'drift', run: 1, explained }], least)[0]?.kind
    expect([drift(0), drift(20), drift(40)]).toEqual(['drift', 'drift', null])
    expect(drift(20, 170)).toBeNull()
  })
})
