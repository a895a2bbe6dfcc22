import { expect, test } from 'vitest'
import type { FoundAnomaly } from './group-anomalies.ts'
import { foldAnomalies } from './fold-anomalies.ts'
import { matchAnomalies } from './match-anomalies.ts'
import { anomalySeverity } from './anomaly-severity.ts'
import { stateAfterScoring } from './anomaly-state.ts'

const found = (firstDay: string, lastDay: string): FoundAnomaly => ({
  kind: 'rise',
  firstDay,
  lastDay,
  day: firstDay,
  expected: 100,
  actual: 200,
  low: 80,
  high: 120,
  impact: 100,
})

test('an anomaly that shares a day goes on as the stored one; the others come and go', () => {
  const stored = [
    { id: 1, firstDay: '2026-03-01', lastDay: '2026-03-03' },
    { id: 2, firstDay: '2026-03-10', lastDay: '2026-03-10' },
  ]
  const longer = found('2026-03-02', '2026-03-05')
  const fresh = found('2026-03-20', '2026-03-20')
  const { kept, added, gone } = matchAnomalies(stored, [longer, fresh])
  expect(kept).toEqual([{ stored: stored[0], found: longer }])
  expect(added).toEqual([fresh])
  expect(gone).toEqual([stored[1]])
})

test('of two that were one before, the first goes on as it', () => {
  const stored = [{ id: 1, firstDay: '2026-03-01', lastDay: '2026-03-10' }]
  const [one, two] = [found('2026-03-01', '2026-03-02'), found('2026-03-09', '2026-03-10')]
  const { kept, added } = matchAnomalies(stored, [one, two])
  expect(kept.map(({ found }) => found)).toEqual([one])
  expect(added).toEqual([two])
})

test('of one service in the same days the dearest is shown, whatever stands below it', () => {
  const days = (id: number, service: string, [firstDay, lastDay]: [string, string]) => ({
    id,
    parentId: null,
    service,
    firstDay,
    lastDay,
    state: 'open' as const,
    isTold: false,
  })
  const parents = foldAnomalies([
    days(1, 'S3', ['2026-03-05', '2026-03-06']),
    days(2, 'EC2', ['2026-03-05', '2026-03-06']),
    days(3, 'S3', ['2026-03-01', '2026-03-05']),
    days(4, 'S3', ['2026-03-01', '2026-03-04']),
  ])
  expect([...parents]).toEqual([
    [1, null],
    [2, null],
    [3, 1],
    // It shares no day with what is shown, only with one that is below.
    [4, null],
  ])
})

test('a verdict stays; what is over is resolved; what goes on is open', () => {
  const at = (lastDay: string) => ({ lastDay, through: '2026-03-10' })
  expect(stateAfterScoring(null, at('2026-03-07'))).toBe('open')
  expect(stateAfterScoring(null, at('2026-03-06'))).toBe('resolved')
  expect(stateAfterScoring('acknowledged', at('2026-03-10'))).toBe('acknowledged')
  expect(stateAfterScoring('resolved', at('2026-03-10'))).toBe('open')
  for (const verdict of ['expected', 'not_anomaly'] as const)
    expect(stateAfterScoring(verdict, at('2026-01-01'))).toBe(verdict)
})

test('severity is by the money, and one step less where the band is barely left', () => {
  const severity = (impact: number, actual = 200) =>
    anomalySeverity({ impact, actual, expected: 100, high: 120 }, 5)
  expect([99, 100, 499, 500].map((impact) => severity(impact))).toEqual([
    'low',
    'medium',
    'medium',
    'high',
  ])
  expect(severity(500, 121)).toBe('medium')
})

const sameDays = {
  parentId: null,
  service: 'EC2',
  firstDay: '2026-03-05',
  lastDay: '2026-03-06',
}

test('one that is over is below one that goes on, and what a person said of one is beside what is open', () => {
  const one = { ...sameDays, isTold: false }
  const parents = foldAnomalies([
    { ...one, id: 1, state: 'not_anomaly' },
    { ...one, id: 2, state: 'resolved' },
    { ...one, id: 3, state: 'open' },
    { ...one, id: 4, state: 'acknowledged' },
    { ...one, id: 5, state: 'not_anomaly' },
    { ...one, id: 6, state: 'expected' },
    { ...one, id: 7, state: 'acknowledged' },
  ])
  expect([...parents]).toEqual([
    [1, null],
    [2, 3],
    [3, null],
    [4, null],
    [5, 1],
    [6, null],
    [7, 4],
  ])
})

test('one that people were told of stays shown while it goes on, also beside a dearer one', () => {
  const foldOf = (state: 'open' | 'acknowledged' | 'resolved') => [
    ...foldAnomalies([
      { ...sameDays, id: 1, state: 'open', isTold: false },
      { ...sameDays, id: 2, state, isTold: true },
      { ...sameDays, id: 3, state: 'resolved', isTold: true },
    ]),
  ]
  expect(foldOf('open')).toEqual([
    [1, 2],
    [2, null],
    [3, 2],
  ])
  // People acknowledged the second, not the first.
  expect(foldOf('acknowledged')).toEqual([
    [1, null],
    [2, null],
    [3, 2],
  ])
  expect(foldOf('resolved')).toEqual([
    [1, null],
    [2, 1],
    [3, 1],
  ])
})

test('one that is over stays below the one that it was told with', () => {
  const parents = foldAnomalies([
    { ...sameDays, id: 1, state: 'open', isTold: true },
    { ...sameDays, id: 2, state: 'acknowledged', isTold: true },
    { ...sameDays, id: 3, parentId: 2, state: 'resolved', isTold: false },
    { ...sameDays, id: 4, parentId: 1, state: 'resolved', isTold: false },
    // It goes on again, below one that a person acknowledged without it.
    { ...sameDays, id: 5, parentId: 2, state: 'open', isTold: false },
  ])
  expect([...parents]).toEqual([
    [1, null],
    [2, null],
    [3, 2],
    [4, 1],
    [5, 1],
  ])
})
