import { slotShare } from '../../domain/runs/slot-share.ts'

/** `id` is of the kind of run that the queue is for. */
export type RunOfSlot = { organizationId: number; id: number }

export type SlotShares = {
  /**
   * Takes one of the organization's slots and returns how to give it back. Undefined if the organization
   * holds its share: the run is woken when a step of its organization ends.
   */
  take: (run: RunOfSlot) => Promise<(() => void) | undefined>
  /** The run no longer waits for a slot. */
  forget: (run: RunOfSlot) => void
}

type Options = {
  /** Steps that this worker runs at once. */
  slots: number
  /** Whether there is more than one active organization. */
  hasOthers: () => Promise<boolean>
  /** Wakes a run's workflow. Best effort: a run that is not woken looks again by itself. */
  wake: (run: RunOfSlot) => void
}

/** Runs of one organization whose step was handed back, oldest first. */
type Line = {
  /** Those that were woken and found their slot taken by a newer run. They are first in line again. */
  returned: Set<number>
  others: Set<number>
}

/** Beyond so many, the order in which runs were woken is forgotten. */
const maxWoken = 1_000

/** Counts the slots of this process that each organization holds (docs/decisions/0117). */
export function createSlotShares({ slots, hasOthers, wake }: Options): SlotShares {
  const held = new Map<number, number>()
  const waiting = new Map<number, Line>()
  /** Runs that were woken and have not taken their slot yet. */
  const woken = new Set<number>()

  const giveBack = (organizationId: number) => {
    const left = (held.get(organizationId) ?? 0) - 1
    if (left > 0) held.set(organizationId, left)
    else held.delete(organizationId)
    // One slot, one run. A step that is handed back holds none, so it wakes nobody.
    const id = firstOf(waiting.get(organizationId))
    if (id === undefined) return
    forget({ organizationId, id })
    // One that ended, or that runs at another worker, is not taken out.
    if (woken.size >= maxWoken) woken.clear()
    woken.add(id)
    wake({ organizationId, id })
  }
  const forget = ({ organizationId, id }: RunOfSlot) => {
    const line = waiting.get(organizationId)
    line?.returned.delete(id)
    line?.others.delete(id)
    if (firstOf(line) === undefined) waiting.delete(organizationId)
    woken.delete(id)
  }
  /** Keeps the place of a run that is in line already. Its cost does not grow with the line. */
  const wait = ({ organizationId, id }: RunOfSlot) => {
    const line = waiting.get(organizationId) ?? { returned: new Set(), others: new Set() }
    waiting.set(organizationId, line)
    if (woken.delete(id)) {
      line.others.delete(id)
      line.returned.add(id)
    } else if (!line.returned.has(id)) line.others.add(id)
  }

  return {
    forget,
    async take(run) {
      const { organizationId } = run
      const share = slotShare(slots, { hasOthers: await hasOthers() })
      // No await from here on: of two steps that ask at once one takes the last slot of the share.
      const holds = held.get(organizationId) ?? 0
      if (holds >= share) {
        wait(run)
        return undefined
      }
      forget(run)
      held.set(organizationId, holds + 1)
      return () => giveBack(organizationId)
    },
  }
}

function firstOf(line: Line | undefined): number | undefined {
  for (const set of [line?.returned, line?.others]) for (const id of set ?? []) return id
  return undefined
}
