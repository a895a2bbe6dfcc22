import type { Outbound } from './outbound.ts'

/** The same until a signal is aborted: requests under way end, and nothing further is sent. */
export function outboundUntil(outbound: Outbound, until: AbortSignal): Outbound {
  const both = (signal: AbortSignal | undefined) =>
    signal ? AbortSignal.any([signal, until]) : until
  return {
    ...outbound,
    resolvePublic: async (target, by) =>
      outbound.resolvePublic(target, { ...by, signal: both(by.signal) }),
    request: async (url, options) =>
      outbound.request(url, { ...options, signal: both(options.signal) }),
    stream: async (url, options) =>
      outbound.stream(url, { ...options, signal: both(options.signal) }),
    keep() {
      const kept = outbound.keep()
      return { ...outboundUntil(kept, until), close: () => kept.close() }
    },
  }
}
