import { describe, expect, test } from 'vitest'
import { dayAfter } from './days.ts'
import { groupAnomalies } from './group-anomalies.ts'
import { noFeedback, scoreSeries, type DayAmount, type Feedback } from './score-series.ts'
import { historyDays } from './scored-day.ts'

const firstDay = '2025-09-01'
const weekday = (day: string) => new Date(`${day}T00:00:00Z`).getUTCDay()

/** A cost with weekends and a little noise that is the same in each run. */
const usual = (index: number, day: string) =>
  ([0, 6].includes(weekday(day)) ? 60 : 100) * (1 + 0.03 * Math.sin(index * 12.9898))

const series = (count: number, change: (index: number, amount: number, day: string) => number) =>
  Array.from({ length: count }, (_, index): DayAmount => {
    const day = dayAfter(firstDay, index)
    return { day, amount: change(index, usual(index, day), day) }
  })

const find = (days: readonly DayAmount[], feedback: Feedback = noFeedback, minimum = 5) =>
  groupAnomalies(scoreSeries([], days, { minimum, feedback }))

describe('what is found', () => {
  test('weekends and a charge on each first of the month are nothing, from the second on', () => {
    const days = series(200, (_, amount, day) => amount + (day.endsWith('-01') ? 300 : 0))
    expect(find(days).map(({ firstDay }) => firstDay)).toEqual([])
  })

  test('a spike of a day is a rise, with its excess as impact', () => {
    const [anomaly, ...more] = find(
      series(90, (index, amount) => amount + (index === 70 ? 250 : 0)),
    )
    expect(more).toEqual([])
    const day = dayAfter(firstDay, 70)
    expect(anomaly).toMatchObject({ kind: 'rise', firstDay: day, lastDay: day, day })
    expect(anomaly?.impact).toBeCloseTo((anomaly?.actual ?? 0) - (anomaly?.expected ?? 0), 9)
    expect(Math.abs((anomaly?.impact ?? 0) - 250)).toBeLessThan(20)
    expect(anomaly?.high).toBeLessThan(anomaly?.actual ?? 0)
  })

  test('a new level is one anomaly, and the usual one after a week', () => {
    const found = find(series(140, (index, amount) => amount * (index >= 70 ? 2 : 1)))
    expect(found).toHaveLength(1)
    expect(found[0]?.firstDay).toBe(dayAfter(firstDay, 70))
    expect(found[0]?.lastDay).toBe(dayAfter(firstDay, 76))
  })

  test('a slow rise is a drift', () => {
    const days = series(
      120,
      (index, amount) => amount * (1 + Math.max(0, Math.min(14, index - 70)) / 14),
    )
    expect(find(days)[0]?.kind).toBe('drift')
  })

  test('a service without cost for a month that begins to cost is new spend', () => {
    const days = series(80, (index) => (index < 60 ? 0 : 40))
    expect(find(days)).toMatchObject([
      { kind: 'new_spend', firstDay: dayAfter(firstDay, 60), expected: 0 },
    ])
  })

  test('a fall, the return from it and an excess below the floors are nothing', () => {
    expect(
      find(series(120, (index, amount) => amount * (index >= 70 && index < 80 ? 0.3 : 1))),
    ).toEqual([])
    expect(find(series(120, (index, amount) => amount * (index === 70 ? 1.14 : 1)))).toEqual([])
    const spike = series(120, (index, amount) => amount + (index === 70 ? 250 : 0))
    expect(find(spike, noFeedback, 400)).toEqual([])
  })

  test('nothing is said of the first 14 days', () => {
    expect(find(series(14, (index, amount) => (index === 13 ? 10 * amount : amount)))).toEqual([])
    expect(find(series(15, (index, amount) => (index === 14 ? 10 * amount : amount)))).toHaveLength(
      1,
    )
  })

  test('costs of 0, below 0 and of a trillion are judged without a NaN', () => {
    const amounts = [0, -5, 1e12, 1e-10, 0, 0, 7]
    const rows = scoreSeries(
      [],
      series(200, (index) => amounts[index % 7] ?? 0),
      { minimum: 5 },
    )
    for (const { expected, low, high, scale, drift } of rows)
      for (const figure of [expected, low, high, scale, drift])
        expect(Number.isFinite(figure)).toBe(true)
  })
})

describe('how it goes on', () => {
  test('no day is judged by a later one', () => {
    const days = series(160, (index, amount) => amount * (index >= 100 ? 3 : 1))
    const whole = scoreSeries([], days, { minimum: 5 })
    expect(scoreSeries([], days.slice(0, 100), { minimum: 5 })).toEqual(whole.slice(0, 100))
  })

  test('the stored days of the model are enough to go on as if nothing was stored', () => {
    const days = series(400, (index, amount, day) => {
      if (index === 180 || index === 330) return amount * 4
      return (index > 250 ? amount * 1.8 : amount) + (day.endsWith('-01') ? 200 : 0)
    })
    const whole = scoreSeries([], days, { minimum: 5 })
    for (const from of [181, 200, 252, 260, 331, 399]) {
      const past = whole.slice(Math.max(0, from - historyDays), from)
      expect(scoreSeries(past, days.slice(from), { minimum: 5 })).toEqual(whole.slice(from))
    }
  })

  test('days with a hole between them are refused', () => {
    const days = series(20, (_, amount) => amount)
    expect(() =>
      scoreSeries([], [...days.slice(0, 10), ...days.slice(11)], { minimum: 5 }),
    ).toThrow('hole')
  })
})

describe('what people said of it', () => {
  test('a rise that is expected is usual from then on', () => {
    const yearly = (index: number, amount: number) =>
      amount + ([70, 74, 78].includes(index) ? 150 : 0)
    const days = series(90, yearly)
    const day = dayAfter(firstDay, 70)
    const before = find(days).flatMap(({ firstDay, lastDay }) => [firstDay, lastDay])
    expect(before).toContain(dayAfter(firstDay, 78))
    const expected = Array.from({ length: 9 }, (_, index) => dayAfter(day, index))
    const feedback = {
      expected: [{ firstDay: day, lastDay: expected.at(-1) ?? day }],
      notAnomalies: 0,
    }
    const spike = [
      ...days,
      ...series(95, (index, amount) => (index >= 90 ? amount + 150 : amount)).slice(90),
    ]
    const high = (given: Feedback) =>
      scoreSeries([], spike, { minimum: 5, feedback: given }).at(91)?.expected ?? 0
    expect(high(feedback)).toBeGreaterThanOrEqual(high(noFeedback))
  })

  test('each verdict "not an anomaly" makes the series less sensitive', () => {
    const days = series(90, (index, amount) => amount + (index === 70 ? 36 : 0))
    expect(find(days)).toHaveLength(1)
    expect(find(days, { expected: [], notAnomalies: 3 })).toEqual([])
  })
})
