export type AnomalyKind = 'rise' | 'drift' | 'new_spend'

/**
 * One day of a series as it was judged. The newest `historyDays` of these are all that the judgement of the
 * next day needs, so a series goes on from where it was stored.
 */
export type ScoredDay = {
  /** `YYYY-MM-DD` */
  day: string
  actual: number
  expected: number
  /** A day above `high` is flagged. Nothing happens below `low`: only rises are told. */
  low: number
  high: number
  /** How far a usual day is from its expected value. */
  scale: number
  /** Why the day is flagged; null where it is not. */
  kind: AnomalyKind | null
  /** How many days in a row are flagged, this one included. Days without cost end no run of a series that has many. */
  run: number
  /** Whether the run is so long now that its level is the usual one from here on. */
  isLearned: boolean
  /** The sum of small excesses, in scales: what makes a drift. */
  drift: number
  /** The weekday's share of a day of its week. */
  share: number
  /** What the two predictors said: by the week, and by the day of the month (null: too little history). */
  weekly: number
  monthly: number | null
}

/** How far the model looks back: three months, half a month to place each, and ten days of both. */
export const historyDays = 135

/** How many days there must be before one can be flagged. */
export const warmUpDays = 14
