import type { AnomalyState } from './anomaly-state.ts'

export type Foldable = {
  id: number
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
 * that is over may be below one that goes on, not the other way round: nobody would see what goes on. What a person
 * called expected or none is beside both, so that their words are seen.
 */
export function foldAnomalies(anomalies: readonly Foldable[]): Map<number, number | null> {
  const parents = new Map(anomalies.map(({ id }): [number, number | null] => [id, null]))
  const shown = new Map<string, Foldable[]>()
  // Stable, so the dearest stays first among equals.
  for (const one of anomalies.toSorted((a, b) => rankOf(a) - rankOf(b))) {
    const key = `${one.service} ${groupOf(one)}`
    const above = shown.get(key) ?? []
    const parent = above.find(
      ({ firstDay, lastDay }) => firstDay <= one.lastDay && one.firstDay <= lastDay,
    )
    if (parent) parents.set(one.id, parent.id)
    else shown.set(key, [...above, one])
  }
  return parents
}

const groupOf = ({ state }: Foldable): string =>
  state === 'expected' || state === 'not_anomaly' ? state : 'anomaly'

const rankOf = ({ state, isTold }: Foldable): number =>
  (state === 'resolved' ? 2 : 0) + (isTold ? 0 : 1)
