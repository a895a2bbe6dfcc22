export type Foldable = { id: number; service: string; firstDay: string; lastDay: string }

/**
 * Of anomalies of one service in the same days the dearest is shown, and the others are below it. Takes them
 * dearest first; answers the parent of each, null for those that are shown.
 */
export function foldAnomalies(anomalies: readonly Foldable[]): Map<number, number | null> {
  const parents = new Map<number, number | null>()
  const shown = new Map<string, Foldable[]>()
  for (const one of anomalies) {
    const above = shown.get(one.service) ?? []
    const parent = above.find(
      ({ firstDay, lastDay }) => firstDay <= one.lastDay && one.firstDay <= lastDay,
    )
    parents.set(one.id, parent?.id ?? null)
    if (!parent) shown.set(one.service, [...above, one])
  }
  return parents
}
