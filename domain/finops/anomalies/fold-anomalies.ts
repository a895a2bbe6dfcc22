import type { AnomalyState } from './anomaly-state.ts'

export type Foldable = {
  id: number
  /** Before the fold. */
  parentId: number | null
  service: string
  firstDay: string
  lastDay: string
  state: AnomalyState
  /** People were told of it, or of the one that it took the place of. */
  isTold: boolean
}

/**
 * Of anomalies of one service in the same days one is shown, and the others are below it. Takes them dearest first;
 * answers the parent of each, null for those that are shown. One that people were told of stays the one that is shown
 * while it goes on: if the dearest took its place, the same event would be told a second time under another id. One
 * that is over may be below one that goes on, not the other way round: nobody would see what goes on. Nor may an open
 * one be below one that a person acknowledged, expected or called none: what they said is of what they saw, and
 * nobody would be told of the open one. Those are beside each other.
 */
export function foldAnomalies(anomalies: readonly Foldable[]): Map<number, number | null> {
  const parents = new Map(anomalies.map(({ id }): [number, number | null] => [id, null]))
  // Those that are shown by each month that they touch, so that none is compared with those of all years.
  const shown = new Map<string, Placed[]>()
  // Stable, so the dearest stays first among equals.
  for (const [place, one] of anomalies.toSorted((a, b) => rankOf(a) - rankOf(b)).entries()) {
    const months = monthsOf(one).map((month) => `${month} ${one.service}`)
    const above = months
      .flatMap((month) => shown.get(month) ?? [])
      .filter((other) => mayBeAbove(other.one, one))
      .toSorted((a, b) => a.place - b.place)
      .map((other) => other.one)
    // One that is over stays with what was told of both, so that it makes no other one dearer.
    const known = above.find(({ id }) => one.state === 'resolved' && id === one.parentId)
    const parent = known ?? above[0]
    if (parent) parents.set(one.id, parent.id)
    else
      for (const month of months) {
        const ofMonth = shown.get(month)
        if (ofMonth) ofMonth.push({ place, one })
        else shown.set(month, [{ place, one }])
      }
  }
  return parents
}

type Placed = { place: number; one: Foldable }

/** As numbers that follow each other. */
function monthsOf({ firstDay, lastDay }: Foldable): number[] {
  const [first, last] = [monthOf(firstDay), monthOf(lastDay)]
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}

const monthOf = (day: string): number => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7))

const mayBeAbove = (above: Foldable, { state, firstDay, lastDay }: Foldable): boolean =>
  above.firstDay <= lastDay &&
  firstDay <= above.lastDay &&
  (above.state === state || (state === 'resolved' && goesOn(above)))

const goesOn = ({ state }: Foldable): boolean => state === 'open' || state === 'acknowledged'

const rankOf = ({ state, isTold }: Foldable): number =>
  (state === 'resolved' ? 2 : 0) + (isTold ? 0 : 1)
