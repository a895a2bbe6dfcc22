import { expect, test } from 'vitest'
import type { AnyRunDetail } from '../api/types.ts'
import { sumOf, timelineBars } from './timeline-bars.ts'

const start = Date.parse('2026-03-01T10:00:00.000Z')
const at = (seconds: number) => new Date(start + seconds * 1_000).toISOString()
type Stages = AnyRunDetail['stages']
const stage = (
  name: string,
  [from, to]: readonly [number | null, number | null],
  more = {},
): Stages[number] => ({
  name,
  state: 'succeeded',
  startedAt: from === null ? null : at(from),
  endedAt: to === null ? null : at(to),
  ...more,
})
const shown = (bars: ReturnType<typeof timelineBars>) =>
  bars.map(({ name, kind, fromMs, toMs, isOpen }) => [
    name,
    kind,
    (fromMs - start) / 1_000,
    (toMs - start) / 1_000,
    ...(isOpen ? ['open'] : []),
  ])

test('a production run: its turn, the plan, a person, a slot, the apply', () => {
  const bars = timelineBars(
    {
      createdAt: at(0),
      endedAt: at(100),
      stages: [stage('plan', [10, 30]), stage('approve', [30, 70]), stage('apply', [80, 100])],
    },
    start + 500_000,
  )
  expect(shown(bars)).toEqual([
    ['Waits for its turn', 'waiting', 0, 10],
    ['Plan', 'working', 10, 30],
    ['Waits for a person', 'waiting', 30, 70],
    ['Waits for the apply', 'waiting', 70, 80],
    ['Apply', 'working', 80, 100],
  ])
  expect(sumOf(bars, 'waiting') + sumOf(bars, 'working')).toBe(100_000)
})

test('a standard run approves itself at once, and starts without a wait', () => {
  expect(
    shown(
      timelineBars(
        {
          createdAt: at(0),
          endedAt: at(9),
          stages: [stage('plan', [0.1, 5]), stage('approve', [5, 5.1]), stage('apply', [5.2, 9])],
        },
        start,
      ),
    ),
  ).toEqual([
    ['Plan', 'working', 0.1, 5],
    ['Apply', 'working', 5.2, 9],
  ])
})

test('a live run waits or works until now', () => {
  const open = { createdAt: at(0), endedAt: null }
  expect(
    shown(timelineBars({ ...open, stages: [stage('plan', [null, null])] }, start + 7_000)),
  ).toEqual([['Waits for its turn', 'waiting', 0, 7, 'open']])
  const plan = stage('plan', [1, null], { state: 'running' })
  expect(shown(timelineBars({ ...open, stages: [plan] }, start + 7_000))).toEqual([
    ['Waits for its turn', 'waiting', 0, 1],
    ['Plan', 'working', 1, 7, 'open'],
  ])
  const waits = [stage('plan', [0, 5]), stage('approve', [5, null], { state: 'waiting' })]
  expect(shown(timelineBars({ ...open, stages: waits }, start + 7_000)).at(-1)).toEqual([
    'Waits for a person',
    'waiting',
    5,
    7,
    'open',
  ])
})

test('a canceled run has nothing after its end, and a clock that is behind makes no negative time', () => {
  const bars = timelineBars(
    { createdAt: at(0), endedAt: at(4), stages: [stage('plan', [2, null], { state: 'canceled' })] },
    start - 60_000,
  )
  expect(shown(bars)).toEqual([
    ['Waits for its turn', 'waiting', 0, 2],
    ['Plan', 'working', 2, 4],
  ])
  const behind = timelineBars(
    { createdAt: at(10), endedAt: null, stages: [stage('plan', [11, null], { state: 'running' })] },
    start,
  )
  expect(behind.every(({ fromMs, toMs }) => toMs >= fromMs)).toBe(true)
})
