import { daysBetween } from './days.ts'

export const anomalyStates = [
  'open',
  'acknowledged',
  'expected',
  'not_anomaly',
  'resolved',
] as const
export type AnomalyState = (typeof anomalyStates)[number]

/** Whether an anomaly of this state is not over yet. */
export const goesOn = (state: AnomalyState): boolean => state === 'open' || state === 'acknowledged'

/** An anomaly that ended so many days ago is over: back in its band, or learned. */
export const overAfterDays = 3

/** The state after a scoring up to `through`. A person's verdict on it stays. */
export function stateAfterScoring(
  before: AnomalyState | null,
  { lastDay, through }: { lastDay: string; through: string },
): AnomalyState {
  if (before === 'expected' || before === 'not_anomaly') return before
  if (daysBetween(lastDay, through) > overAfterDays) return 'resolved'
  return before === null || before === 'resolved' ? 'open' : before
}
