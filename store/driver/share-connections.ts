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
}

type Waiting = { organizationId: number; admit: () => void }

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
  return {
    async take(organizationId) {
      if (holding.getStore()?.isHeld) return nested
      if (!connections.takeNow(organizationId)) await connections.wait(organizationId, waitMs)
      const hold = { isHeld: true }
      return {
        run: async (work) => holding.run(hold, work),
        giveBack() {
          if (!hold.isHeld) return
          hold.isHeld = false
          connections.giveBack(organizationId)
        },
      }
    },
  }
}

function countConnections(size: number) {
  let free = size
  const held = new Map<number, number>()
  /** In the order in which they are admitted, where organizations hold the same number. */
  const waiting = new Set<Waiting>()

  const heldBy = (organizationId: number) => held.get(organizationId) ?? 0
  const takeNow = (organizationId: number): boolean => {
    if (heldBy(organizationId) >= free) return false
    free -= 1
    held.set(organizationId, heldBy(organizationId) + 1)
    return true
  }
  const admit = () => {
    const byHeld = [...waiting].toSorted(
      (one, other) => heldBy(one.organizationId) - heldBy(other.organizationId),
    )
    const next = byHeld.find(({ organizationId }) => takeNow(organizationId))
    if (!next) return
    waiting.delete(next)
    for (const entry of [...waiting].filter((one) => one.organizationId === next.organizationId)) {
      // To the end: organizations take turns.
      waiting.delete(entry)
      waiting.add(entry)
    }
    next.admit()
    admit()
  }
  return {
    takeNow,
    giveBack(organizationId: number) {
      free += 1
      const left = heldBy(organizationId) - 1
      if (left > 0) held.set(organizationId, left)
      else held.delete(organizationId)
      admit()
    },
    /** Resolves when the organization has taken a connection. */
    async wait(organizationId: number, maxMs: number): Promise<void> {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const timer = setTimeout(() => reject(busy()), maxMs)
      const entry = { organizationId, admit: resolve }
      waiting.add(entry)
      try {
        await promise
      } finally {
        clearTimeout(timer)
        waiting.delete(entry)
      }
    },
  }
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
