import { actions, type Action } from './plan.ts'
import type { PlanEntry } from './plan-entries.ts'
import { withoutKeys } from './without-keys.ts'

/** A block of the configuration with changes: a resource, of which there may be several instances. */
export type Block = {
  id: string
  /** The most destructive action of its instances. */
  action: Action
  instances: number
  /** Blocks that it needs, and blocks that need it, of those that are shown. */
  needs: string[]
  neededBy: string[]
  /** How many more it needs than the service names. */
  omitted: number
}

export function blocksOf(entries: readonly PlanEntry[]): Block[] {
  const blocks = new Map<string, Block>()
  for (const { part, name, action, resource } of entries) {
    if (part !== 'resource' || !resource) continue
    const id = withoutKeys(name)
    const before = blocks.get(id)
    if (before) {
      before.instances += 1
      if (actions.indexOf(action) < actions.indexOf(before.action)) before.action = action
      continue
    }
    const { dependsOn = [], omittedDependencies: omitted = 0 } = resource
    blocks.set(id, { id, action, instances: 1, needs: [...dependsOn], neededBy: [], omitted })
  }
  for (const block of blocks.values()) {
    block.needs = block.needs.filter((id) => id !== block.id && blocks.has(id))
    for (const id of block.needs) blocks.get(id)?.neededBy.push(block.id)
  }
  return [...blocks.values()]
}

export type Placed = { block: Block; column: number; row: number }

/** More are not drawn: nobody reads them, and the table has them all. */
export const maxDrawn = 150

/**
 * The place of each block that has an edge: what is needed stands left of what needs it, and blocks of a
 * column stand near those that they belong to.
 */
export function placesOf(blocks: readonly Block[]): Placed[] {
  const drawn = blocks
    .filter(({ needs, neededBy }) => needs.length + neededBy.length > 0)
    .slice(0, maxDrawn)
  const byId = new Map(drawn.map((block) => [block.id, block]))
  const columns: Block[][] = []
  const columnOf = longestPaths(byId)
  for (const block of drawn) (columns[columnOf(block.id)] ??= []).push(block)
  const rows = new Map<string, number>()
  for (const column of columns) for (const [row, { id }] of column.entries()) rows.set(id, row)
  for (let sweep = 0; sweep < 4; sweep += 1) {
    const [order, side] =
      sweep % 2 === 0 ? [columns, 'needs' as const] : [columns.toReversed(), 'neededBy' as const]
    for (const column of order) {
      const middle = new Map(column.map((block) => [block.id, middleOf(block, side)]))
      column.sort((a, b) => (middle.get(a.id) ?? 0) - (middle.get(b.id) ?? 0))
      for (const [row, { id }] of column.entries()) rows.set(id, row)
    }
  }
  return columns.flatMap((column, at) => column.map((block, row) => ({ block, column: at, row })))

  function middleOf(block: Block, side: 'needs' | 'neededBy'): number {
    const others = block[side].flatMap((id) => rows.get(id) ?? [])
    if (others.length === 0) return rows.get(block.id) ?? 0
    return others.reduce((sum, row) => sum + row, 0) / others.length
  }
}

/** How many blocks stand in a row before each. A loop, which only a forged plan has, is cut where it closes. */
function longestPaths(blocks: ReadonlyMap<string, Block>): (id: string) => number {
  const lengths = new Map<string, number>()
  const walking = new Set<string>()
  // At most `maxDrawn` deep.
  const lengthOf = (id: string): number => {
    const before = lengths.get(id)
    if (before !== undefined) return before
    walking.add(id)
    let length = 0
    for (const needed of blocks.get(id)?.needs ?? [])
      if (blocks.has(needed) && !walking.has(needed))
        length = Math.max(length, lengthOf(needed) + 1)
    walking.delete(id)
    lengths.set(id, length)
    return length
  }
  return lengthOf
}

/** The place that an arrow key leads to: along an edge where there is one. */
export function stepFrom(places: readonly Placed[], from: Placed, key: string): Placed | undefined {
  const { block, column, row } = from
  const inColumn = (at: number) => places.filter((one) => one.column === at)
  if (key === 'ArrowUp' || key === 'ArrowDown')
    return inColumn(column).find((one) => one.row === row + (key === 'ArrowDown' ? 1 : -1))
  if (key === 'Home') return places[0]
  if (key === 'End') return places.at(-1)
  if (key !== 'ArrowLeft' && key !== 'ArrowRight') return undefined
  const along = key === 'ArrowRight' ? block.neededBy : block.needs
  return (
    places.find((one) => along.includes(one.block.id)) ??
    inColumn(column + (key === 'ArrowRight' ? 1 : -1)).toSorted(
      (a, b) => Math.abs(a.row - row) - Math.abs(b.row - row),
    )[0]
  )
}
