import { median, quantile } from './robust.ts'
import { warmUpDays, type AnomalyKind, type ScoredDay } from './scored-day.ts'
import { learnedAfter, type Expectation, type SeriesModel } from './series-model.ts'

export type Sensitivity = {
  /** The least excess that is told, in the currency of the series. */
  minimum: number
  /** How many scales more than usual an excess must have. */
  lessBy: number
}

/** The least excess that is told, as a share of what was expected. */
export const leastShare = 0.15
const flaggedAt = 6
const driftSlack = 0.9
const driftCap = 5
const driftAt = 5
const silentDays = 30
const newSpendDays = 7
/** Of a series with cost now and then, so many flagged costs are held to be exceptions. */
const boundedCosts = 2

type Next = { day: string; amount: number }

/** Judges one day by the days before it. */
export function judgeDay(model: SeriesModel, next: Next, sensitivity: Sensitivity): ScoredDay {
  const { rows } = model
  if (rows.length < 3) return unjudged(next, median(model.learned))
  const spend = newSpend(model, next, sensitivity)
  if (spend) return spend
  return model.isIntermittent
    ? judgeIntermittent(model, next, sensitivity)
    : judgeSteady(model, next, sensitivity)
}

function judgeSteady(model: SeriesModel, next: Next, sensitivity: Sensitivity): ScoredDay {
  const expectation = model.expect(next.day)
  const { expected, base, usual, scale, bursts } = expectation
  const last = model.rows.at(-1)
  const drift = driftAfter(last?.drift ?? 0, (next.amount - base) / (scale || 1))
  const least = Math.max(sensitivity.minimum, leastShare * expected)
  const away = (flaggedAt + sensitivity.lessBy) * scale
  const high = Math.max(usual + away, expected + least, 1.1 * bursts)
  const highOfDrift = Math.max(expected + least, usual + 0.5 * scale, base + 1.5 * scale, bursts)

  const isDrift = drift > driftAt + 2 * sensitivity.lessBy && next.amount > highOfDrift
  const kind = next.amount > high ? 'rise' : isDrift ? 'drift' : null
  return finish(model, next, {
    expectation,
    high: isDrift ? Math.min(high, highOfDrift) : high,
    low: Math.max(0, expected - away),
    kind: isJudged(model, next) ? kind : null,
    drift,
  })
}

/** The first of a month without a month before it: most charges that come once a month come then. */
function isJudged(model: SeriesModel, { day }: Next): boolean {
  const { length } = model.rows
  return (
    length >= warmUpDays &&
    !(length < 45 && day.endsWith('-01') && (model.rows.at(-1)?.run ?? 0) === 0)
  )
}

/** Days that have cost are compared among themselves. */
function judgeIntermittent(model: SeriesModel, next: Next, sensitivity: Sensitivity): ScoredDay {
  const costs = recentCosts(model)
  const typical = median(costs)
  const misses = costs.map((value) => Math.abs(value - typical))
  const scale = Math.max(1.4826 * median(misses), quantile(misses, 0.93) / 1.8, 0.08 * typical)
  const highest = costs.reduce((most, value) => Math.max(most, value), 0)
  const last = model.rows.at(-1)
  const excess = (next.amount - typical) / (scale || 1)
  const before = last?.drift ?? 0
  const drift = next.amount > 0 ? driftAfter(before, excess) : before

  const least = Math.max(sensitivity.minimum, leastShare * typical)
  const high = Math.max(
    1.3 * highest,
    typical + (0.6 * flaggedAt + sensitivity.lessBy) * scale,
    typical + least,
  )
  const isDrift =
    drift > driftAt + 2 * sensitivity.lessBy &&
    excess > 1.5 &&
    next.amount > Math.max(highest, typical + least)
  const kind =
    next.amount > high ? 'rise' : isDrift || isOftener(model, next, sensitivity) ? 'drift' : null
  const expectation = {
    expected: typical,
    base: typical,
    usual: typical,
    bursts: 0,
    scale,
    share: 1,
    weekly: typical,
    monthly: null,
  }
  return finish(model, next, {
    expectation,
    high,
    low: 0,
    kind: model.rows.length >= warmUpDays && costs.length >= 2 ? kind : null,
    drift,
  })
}

/** The costs of 90 days. The two newest flagged ones are bounded; older ones are what the series costs. */
function recentCosts({ rows, learned }: SeriesModel): number[] {
  const costs: number[] = []
  let flagged = 0
  for (let i = rows.length - 1; i >= Math.max(0, rows.length - 90); i--) {
    const row = rows[i]
    if (!row || row.actual <= 0) continue
    if (row.kind) flagged += 1
    costs.push(row.kind && flagged > boundedCosts ? row.actual : (learned[i] ?? 0))
  }
  return costs
}

/** Cost on more days in a row than ever before: something new runs beside what comes now and then. */
function isOftener(model: SeriesModel, next: Next, { minimum }: Sensitivity): boolean {
  if (next.amount < minimum || model.rows.length < silentDays) return false
  let streak = 1
  const values = model.learned
  while ((values[values.length - streak] ?? 0) > 0) streak += 1
  let longest = 0
  let current = 0
  for (const value of values.slice(0, values.length - streak + 1)) {
    current = value > 0 ? current + 1 : 0
    longest = Math.max(longest, current)
  }
  return streak >= 5 && streak > 1.5 * longest + 1
}

/** Cost after a month without any, and its first week: told as a kind of its own. */
function newSpend(model: SeriesModel, next: Next, { minimum }: Sensitivity): ScoredDay | undefined {
  const { rows, learned } = model
  const last = rows.at(-1)
  const run = last?.kind === 'new_spend' ? last.run : 0
  const before = rows.slice(Math.max(0, rows.length - run - silentDays), rows.length - run)
  const isSilent = before.length === silentDays && before.every(({ actual }) => actual <= 0)
  if (!isSilent || run >= newSpendDays || next.amount <= 0 || learned.length === 0) return undefined
  const expectation = {
    expected: 0,
    base: 0,
    usual: 0,
    bursts: 0,
    scale: 0,
    share: 1,
    weekly: 0,
    monthly: null,
  }
  const kind = next.amount >= minimum ? 'new_spend' : null
  return finish(model, next, { expectation, high: minimum, low: 0, kind, drift: 0 })
}

type Judged = {
  expectation: Expectation
  low: number
  high: number
  kind: AnomalyKind | null
  drift: number
}

function finish(model: SeriesModel, next: Next, judged: Judged): ScoredDay {
  const { expectation, low, high, kind } = judged
  const last = model.rows.at(-1)
  const before = last && !last.isLearned ? last.run : 0
  const isPause = next.amount <= 0 && model.isIntermittent
  const run = kind ? before + 1 : isPause ? before : 0
  const isLearned = kind !== null && run >= learnedAfter
  const { expected, scale, share, weekly, monthly } = expectation
  // The level that a learned run reached is the usual one now: its drift starts anew.
  const drift = isLearned ? 0 : judged.drift
  const { day, amount: actual } = next
  return {
    day,
    actual,
    expected,
    low,
    high,
    scale,
    kind,
    run,
    isLearned,
    drift,
    share,
    weekly,
    monthly,
  }
}

/** The sum of excesses after one more day. A day at or below the expected value halves it: a spike is over. */
function driftAfter(before: number, excess: number): number {
  const kept = excess <= 0 ? before / 2 : before
  return Math.max(0, kept + Math.min(excess, driftCap) - driftSlack)
}

function unjudged({ day, amount }: Next, expected: number): ScoredDay {
  const scale = Math.max(0.3 * expected, 0)
  const high = expected + 6 * scale
  return {
    day,
    actual: amount,
    expected,
    low: 0,
    high,
    scale,
    kind: null,
    run: 0,
    isLearned: false,
    drift: 0,
    share: 1,
    weekly: expected,
    monthly: null,
  }
}
