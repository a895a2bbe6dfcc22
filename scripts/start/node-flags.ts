const youngObjects = ['--min-semi-space-size=16', '--max-semi-space-size=16']

/**
 * Flags of the API and the worker. The young generation starts large, so that most objects of a
 * request die before the collector copies them. It does not grow to V8's 64 MiB, which takes 96 MiB
 * more and saves no time in pauses (docs/decisions/0043-reads-that-share-connections.md). The worker's
 * heap is collected when it has grown by 30 % (docs/decisions/0131-memory-of-a-sync.md), the API's when it has
 * doubled (docs/decisions/0217-memory-of-the-api.md).
 */
export const nodeFlags = {
  api: [...youngObjects, '--heap-growing-percent=100'],
  worker: [...youngObjects, '--heap-growing-percent=30'],
}
