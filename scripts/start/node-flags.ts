const youngObjects = '--min-semi-space-size=16'

/**
 * Flags of the API and the worker. The young generation starts large, so that most objects of a
 * request die before the collector copies them. That of the API does not grow to V8's 64 MiB, which
 * takes 96 MiB more and saves no time in pauses (docs/decisions/0043-reads-that-share-connections.md).
 */
export const nodeFlags = {
  api: [youngObjects, '--max-semi-space-size=16'],
  worker: [youngObjects],
}
