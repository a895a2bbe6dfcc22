import { dayAfter, daysBetween } from './days.ts'

/** A run that was applied shortly before an anomaly or in it. */
export type RunToJudge = {
  runId: number
  appliedOn: string
  /** What its plan said of the monthly cost; null where it did not know. */
  predictedDelta: number | null
  /** Resources of the anomaly's series that it created or changed: their cost by day, without days of none. */
  costs: readonly DayCost[]
}
export type DayCost = { day: string; amount: number }

/** The days that are compared. */
export type AnomalyDays = {
  /** The first day of the usual cost. */
  baselineFrom: string
  firstDay: string
  lastDay: string
}

export type Cause = {
  runId: number
  /** `resource`: what it created or changed rose. `account`: it is of the anomaly's account and service alone. */
  because: 'resource' | 'account'
  /** By how much its resources cost more than before, on the days of the anomaly on which it was applied. */
  rise: number
}

/**
 * The runs that may have caused an anomaly, the likeliest first: those whose resources rose, the most first,
 * where nearly equal ones (often of one resource) are in the order of what their plans said;
 * then those of the same account and service, by what their plans said. Of equal ones the later one: it is
 * the nearer one to the rise, since one behind the rise explains less.
 */
export function rankCauses(runs: readonly RunToJudge[], days: AnomalyDays, count: number): Cause[] {
  const judged = runs.map((run) => ({ run, rise: riseOf(run, days) }))
  const greatest = judged.reduce((most, { rise }) => Math.max(most, rise), 0)
  const isGreat = (rise: number) => rise > 0 && rise >= nearlyAll * greatest
  return judged
    .toSorted(
      (a, b) =>
        Number(isGreat(b.rise)) - Number(isGreat(a.rise)) ||
        (isGreat(a.rise) ? 0 : b.rise - a.rise) ||
        (b.run.predictedDelta ?? unknown) - (a.run.predictedDelta ?? unknown) ||
        (a.run.appliedOn < b.run.appliedOn ? 1 : a.run.appliedOn > b.run.appliedOn ? -1 : 0) ||
        b.run.runId - a.run.runId,
    )
    .slice(0, count)
    .map(({ run, rise }) => ({
      runId: run.runId,
      because: rise > 0 ? ('resource' as const) : ('account' as const),
      rise,
    }))
}

/** Runs of one resource differ by the noise of what else they changed. */
const nearlyAll = 0.9
/** A plan that says nothing is likelier than one that says no more. */
const unknown = Number.MIN_VALUE

/** A run explains nothing of the days before it was applied, so what rose before it counts as usual. */
function riseOf(
  { appliedOn, costs }: Pick<RunToJudge, 'appliedOn' | 'costs'>,
  { baselineFrom, firstDay, lastDay }: AnomalyDays,
): number {
  const from = appliedOn > firstDay ? appliedOn : firstDay
  const until = appliedOn < firstDay ? appliedOn : from
  const sum = (first: string, end: string) =>
    costs.reduce((all, { day, amount }) => (day >= first && day < end ? all + amount : all), 0)
  const daysAfter = daysBetween(from, lastDay) + 1
  const daysOfBefore = Math.max(1, daysBetween(baselineFrom, until))
  const end = dayAfter(lastDay, 1)
  const rise = sum(from, end) - (sum(baselineFrom, until) / daysOfBefore) * daysAfter
  // Of amounts in decimals as binary fractions: below that it is no rise.
  return rise > 1e-6 ? rise : 0
}
