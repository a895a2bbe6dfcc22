import { AsyncLocalStorage } from 'node:async_hooks'
import { AppError } from '../../domain/errors.ts'

/** An organization's right to one connection of the pool. */
export type Share = {
  /** Runs a transaction. What it opens within itself needs no further share. */
  run<T>(work: () => Promise<T>): Promise<T>
  /** To be called when the connection is back in the pool. A second call does nothing. */
  giveBack(): void
}

export type Shares = {
  /** Waits for a share: `maxWaitMs` at most, after which it throws 503 `busy`. */
  take(organizationId: number): Promise<Share>
  /**
   * The same for a single statement. They are counted by themselves, so that heartbeats of hosts do not wait for slow
   * reads of their organization.
   */
  takeForStatement(organizationId: number): Promise<Share>
}

const maxWaitMs = 10_000

/** The share that the code running now holds. */
const holding = new AsyncLocalStorage<{ isHeld: boolean }>()

/**
 * Divides the `size` connections of a pool between organizations: one may take another connection
 * while it holds fewer than are free. So one organization alone gets half of them, a second one half of the rest,
 * and slow statements of a few do not keep the others out. Of those that wait, the one that holds fewest is next.
 *
 * A transaction that is opened within another one gets its share at once: the outer one keeps a connection until the
 * inner one has ended, so waiting would be a deadlock.
 */
export function shareConnections(size: number, waitMs = maxWaitMs): Shares {
  const connections = countConnections(size)
  const take = async (holder: string): Promise<Share> => {
    if (holding.getStore()?.isHeld) return nested
    if (!connections.takeNow(holder)) await connections.wait(holder, waitMs)
    const hold = { isHeld: true }
    return {
      run: async (work) => holding.run(hold, work),
      giveBack() {
        if (!hold.isHeld) return
        hold.isHeld = false
        connections.giveBack(holder)
      },
    }
  }
  return {
    take: async (organizationId) => take(String(organizationId)),
    takeForStatement: async (organizationId) => take(`statements of ${organizationId}`),
  }
}

function countConnections(size: number) {
  let free = size
  const held = new Map<string, number>()
  /** Holders in the order of their turns, where they hold the same number. */
  const waiting = new Map<string, Array<() => void>>()

  const heldBy = (holder: string) => held.get(holder) ?? 0
  const takeNow = (holder: string): boolean => {
    if (heldBy(holder) >= free) return false
    free -= 1
    held.set(holder, heldBy(holder) + 1)
    return true
  }
  const admit = () => {
    const byHeld = [...waiting.keys()].toSorted((one, other) => heldBy(one) - heldBy(other))
    const holder = byHeld.find(takeNow)
    if (holder === undefined) return
    const [first, ...others] = waiting.get(holder) ?? []
    // Its others come after those of everybody else.
    waiting.delete(holder)
    if (others.length > 0) waiting.set(holder, others)
    first?.()
    admit()
  }
  return {
    takeNow,
    giveBack(holder: string) {
      free += 1
      const left = heldBy(holder) - 1
      if (left > 0) held.set(holder, left)
      else held.delete(holder)
      admit()
    },
    /** Resolves when the holder has taken a connection. */
    async wait(holder: string, maxMs: number): Promise<void> {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      waiting.set(holder, [...(waiting.get(holder) ?? []), resolve])
      const timer = setTimeout(() => {
        const others = (waiting.get(holder) ?? []).filter((one) => one !== resolve)
        if (others.length > 0) waiting.set(holder, others)
        else waiting.delete(holder)
        reject(busy())
      }, maxMs)
      await promise.finally(() => clearTimeout(timer))
    },
  }
}

/** For a process whose own limits divide the work of organizations: nobody waits for a share. */
export const unshared: Shares = {
  take: async () => nested,
  takeForStatement: async () => nested,
}

const nested: Share = {
  run: async (work) => work(),
  giveBack() {},
}

const busy = () =>
  new AppError(
    'unavailable',
    'What your organization is already reading and changing holds all connections to the database that it may have at once. Try again in a moment.',
    { code: 'busy', retryAfterSeconds: 1 },
  )
