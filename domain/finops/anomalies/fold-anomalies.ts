import type { AnomalyState } from './anomaly-state.ts'

export type Foldable = {
  id: number
  service: string
  firstDay: string
  lastDay: string
  state: AnomalyState
}

/**
 * Of anomalies of one service in the same days the dearest is shown, and the others are below it. Takes them
 * dearest first; answers the parent of each, null for those that are shown. One that goes on is never below one
 * that is over, or that a person called none: nobody would see it.
 */
export function foldAnomalies(anomalies: readonly Foldable[]): Map<number, number | null> {
  const parents = new Map<number, number | null>()
  const shown = new Map<string, Foldable[]>()
  for (const one of anomalies) {
    const key = `${one.service} ${one.state === 'acknowledged' ? 'open' : one.state}`
    const above = shown.get(key) ?? []
    const parent = above.find(
      ({ firstDay, lastDay }) => firstDay <= one.lastDay && one.firstDay <= lastDay,
    )
    parents.set(one.id, parent?.id ?? null)
    if (!parent) shown.set(key, [...above, one])
  }
  return parents
}
