import { keyOfStep, stepsOf, type Move, type Step } from './read-moves.ts'
import type { ObjectPlace } from './read-tfstate.ts'

/** More than the addresses that a genuine object had one after the other. */
const maxAddresses = 1_000

/**
 * Gives each object of a plan that destroys, whose address the workspace does not know, one object of the workspace
 * that moved there. OpenTofu plans such a destroy in two walks and writes the old address of the second alone, so that
 * it is mostly missing.
 *
 * An object moves along the `moved` blocks of the configuration, and between an address without a key and its key 0,
 * which are of the same block. No other object of the same kind is accepted, though the destroy removes it too: the
 * address chooses by which provider configuration an apply destroys and which provisioners it runs, and both are read
 * from the configuration. Code of a plan could otherwise have an object of one account destroyed under the address of
 * another account's, where the same id is another object.
 *
 * So a forger gains nothing over leaving the object under its old address: it must be one of the workspace that nothing
 * else stands for, which `fits` compares as if it had not moved, and the configuration says where it went. Between two
 * that fit the same address the choice does not matter, since each is used once and all of them are destroyed.
 *
 * Undefined in place of an object that has none.
 */
export function matchMoved<P extends { place: ObjectPlace }, K extends { place: ObjectPlace }>(
  planned: readonly P[],
  { left, moves }: { left: readonly K[]; moves: readonly Move[] },
  fits: (planned: P, kept: K) => boolean,
): Array<[P, K | undefined]> {
  const movesFrom = Map.groupBy(moves, ({ module, from }) => namesOf(module, from))
  const wanted = new Set(planned.map(({ place }) => addressOf(stepsTo(place))))
  const origins = new Map<string, K[]>()
  for (const kept of left)
    for (const address of reachable(stepsTo(kept.place), movesFrom))
      if (wanted.has(address)) origins.set(address, [...(origins.get(address) ?? []), kept])
  const choices = planned.map((object) => ({
    object,
    kept: (origins.get(addressOf(stepsTo(object.place))) ?? []).filter(
      (kept) => kept.place.deposed === object.place.deposed && fits(object, kept),
    ),
  }))
  const used = new Set<K>()
  // The end of a chain of moves can be reached from each of its addresses, so who has least choice chooses first.
  return choices
    .toSorted((one, other) => one.kept.length - other.kept.length)
    .map(({ object, kept }) => {
      const found = kept.find((candidate) => !used.has(candidate))
      if (found) used.add(found)
      return [object, found]
    })
}

const stepsTo = ({ module, type, name, index }: ObjectPlace): Step[] => [
  ...(stepsOf(module) ?? [{ name: module, key: '' }]),
  { name: `${type}.${name}`, key: keyOfStep(index) },
]

const namesOf = (module: readonly string[], steps: readonly Step[]): string =>
  JSON.stringify([...module, ...steps.map(({ name }) => name)])

const addressOf = (steps: readonly Step[]): string =>
  JSON.stringify(steps.map(({ name, key }) => [name, key]))

/** The addresses to which an object can have moved, its own among them. */
function reachable(start: Step[], movesFrom: ReadonlyMap<string, Move[]>): Iterable<string> {
  const found = new Map([[addressOf(start), start]])
  for (const steps of found.values())
    for (let length = 1; length <= steps.length; length += 1)
      for (const move of movesFrom.get(namesOf([], steps.slice(0, length))) ?? []) {
        const moved = moveAlong(move, steps)
        if (moved && found.size < maxAddresses) found.set(addressOf(moved), moved)
      }
  return found.keys()
}

/** The names of module and `from` are those of the first steps. */
function moveAlong({ module, from, to, isWhole }: Move, steps: Step[]): Step[] | undefined {
  const start = module.length
  const end = start + from.length
  const last = steps[end - 1]
  const isSame = from.every(
    ({ key }, at) => (isWhole && at === from.length - 1) || steps[start + at]?.key === key,
  )
  if (!last || !isSame) return undefined
  const target = to.map((step, at) =>
    isWhole && at === to.length - 1 ? { ...step, key: last.key } : step,
  )
  return [...steps.slice(0, start), ...target, ...steps.slice(end)]
}
