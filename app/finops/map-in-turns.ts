import { setImmediate } from 'node:timers/promises'

/** Of a millisecond or two, where an item takes a microsecond. */
const itemsOfATurn = 1_000

/** Maps a list that a tenant's bill makes long. The event loop has its turn after each slice, other tenants' work with it. */
export async function mapInTurns<Item, Mapped>(
  items: readonly Item[],
  map: (item: Item) => Mapped,
  atOnce = itemsOfATurn,
): Promise<Mapped[]> {
  const mapped: Mapped[] = []
  for (let at = 0; at < items.length; at += atOnce) {
    if (at > 0) await setImmediate()
    for (const item of items.slice(at, at + atOnce)) mapped.push(map(item))
  }
  return mapped
}

/** Does the work of each group, and lets the event loop have its turn after groups of so many items together. */
export async function eachInTurns<Group extends { length: number }>(
  groups: Iterable<Group>,
  work: (group: Group) => void,
): Promise<void> {
  let done = 0
  for (const group of groups) {
    work(group)
    done += group.length
    if (done < itemsOfATurn) continue
    done = 0
    await setImmediate()
  }
}
