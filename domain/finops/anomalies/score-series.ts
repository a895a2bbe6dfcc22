import { dayAfter } from './days.ts'
import { judgeDay, type Sensitivity } from './judge-day.ts'
import type { ScoredDay } from './scored-day.ts'
import { SeriesModel, type DayRange } from './series-model.ts'

export type Feedback = {
  /** Runs that a person called expected: they count as usual from then on. */
  expected: readonly DayRange[]
  /** How many of the series' anomalies a person called none: each makes it less sensitive. */
  notAnomalies: number
}

export const noFeedback: Feedback = { expected: [], notAnomalies: 0 }

export type ScoringOptions = {
  /** The least excess that is told, in the currency of the series. */
  minimum: number
  feedback?: Feedback
}

export type DayAmount = { day: string; amount: number }

/**
 * Scores the days that follow `past`, each from the days before it alone. `past` is what an earlier call
 * returned, or its newest `historyDays`, so that a restated day is scored anew from the day before it. Days
 * must follow each other without holes; a day without cost is 0.
 */
export function scoreSeries(
  past: readonly ScoredDay[],
  days: readonly DayAmount[],
  { minimum, feedback = noFeedback }: ScoringOptions,
): ScoredDay[] {
  const model = new SeriesModel(feedback.expected)
  for (const row of past) model.push(row)
  return scoreOnto(model, days, { minimum, feedback })
}

/** The same of the days that follow those of a model. Adds them to it. */
export function scoreOnto(
  model: SeriesModel,
  days: readonly DayAmount[],
  { minimum, feedback = noFeedback }: ScoringOptions,
): ScoredDay[] {
  const sensitivity: Sensitivity = { minimum, lessBy: Math.min(4, feedback.notAnomalies) }
  return days.map(({ day, amount }) => {
    const last = model.rows.at(-1)
    if (last && dayAfter(last.day, 1) !== day) throw new RangeError('days of a series have a hole')
    const row = judgeDay(model, { day, amount }, sensitivity)
    model.push(row)
    return row
  })
}
