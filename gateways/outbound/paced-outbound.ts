import { setTimeout as sleep } from 'node:timers/promises'
import type { Outbound } from './outbound.ts'

/** Waits until this many more bytes may be handled. */
export type Pace = (bytes: number) => Promise<void>

type Clock = { nowMs: () => number; sleep: (ms: number) => Promise<unknown> }
const realClock: Clock = { nowMs: () => performance.now(), sleep }

/** Lets `burstBytes` pass at once and then so many a second. */
export function createPace(
  limits: { bytesPerSecond: number; burstBytes: number },
  clock = realClock,
): Pace {
  const { bytesPerSecond, burstBytes } = limits
  let owed = 0
  let atMs = clock.nowMs()
  return async (bytes) => {
    const nowMs = clock.nowMs()
    owed = Math.max(0, owed - ((nowMs - atMs) / 1_000) * bytesPerSecond) + bytes
    atMs = nowMs
    const overMs = ((owed - burstBytes) / bytesPerSecond) * 1_000
    if (overMs > 0) await clock.sleep(overMs)
  }
}

/**
 * The same calls, each of whose answers is handed out at this pace: what a host sends as fast as it can
 * must not take all the time of this process.
 */
export function pacedOutbound(outbound: Outbound, pace: Pace): Outbound {
  return {
    ...outbound,
    async request(url, request) {
      const answer = await outbound.request(url, request)
      await pace(answer.body.length)
      return answer
    },
    keep() {
      const kept = outbound.keep()
      return { ...pacedOutbound(kept, pace), close: () => kept.close() }
    },
  }
}
