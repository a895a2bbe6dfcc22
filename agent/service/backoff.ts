import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Waits longer after each failure. The half of each wait is random, so that a thousand agents that lost the service at
 * once do not come back at once.
 */
export function createBackoff({ firstMs, mostMs }: { firstMs: number; mostMs: number }): {
  wait(signal: AbortSignal, leastMs?: number): Promise<void>
  reset(): void
} {
  let failures = 0
  return {
    /** Returns early if the signal comes. */
    async wait(signal, leastMs = 0) {
      const fullMs = Math.min(mostMs, firstMs * 2 ** Math.min(failures, 20))
      failures += 1
      await pause(Math.max(leastMs, fullMs * (0.5 + Math.random() / 2)), signal)
    },
    reset() {
      failures = 0
    },
  }
}

/** Returns early if the signal comes. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { ...(signal && { signal }), ref: true }).catch(() => undefined)
}
