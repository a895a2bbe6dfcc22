export type ToldOfFolded = {
  id: number
  /** Before the fold. */
  parentId: number | null
  /** Decimal text: the impact that people were told of it and those below it. */
  toldImpact: string | null
}

/**
 * What counts as told of those that others go below (`parents`), where that is another amount now: their impact is
 * compared with it. One that takes the place of the one above it takes over what was told of both. Of two that were
 * told apart and are one now, people know both amounts: without the sum it would seem to have grown. One that nobody was
 * told of stays so, and is told.
 */
export function toldAfterFold(
  folded: readonly ToldOfFolded[],
  parents: ReadonlyMap<number, number | null>,
): Map<number, number> {
  const byId = new Map(folded.map((one) => [one.id, one]))
  const told = new Map<number, number>()
  const toldOf = (id: number): number => told.get(id) ?? Number(byId.get(id)?.toldImpact ?? 0)

  const below = folded.flatMap(({ id, parentId, toldImpact }) => {
    const above = parents.get(id) ?? null
    if (parentId !== null || above === null || toldImpact === null) return []
    return [{ above, own: Number(toldImpact), isReplaced: byId.get(above)?.parentId === id }]
  })
  for (const { above, own } of below.filter(({ isReplaced }) => isReplaced))
    if (own > toldOf(above)) told.set(above, own)
  for (const { above, own } of below.filter(({ isReplaced }) => !isReplaced))
    if (toldOf(above) > 0) told.set(above, toldOf(above) + own)
  return told
}
