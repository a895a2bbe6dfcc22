import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const youngEveryBytes = 4 * 1024 * 1024
const allEveryBytes = 64 * 1024 * 1024
type Collect = { young(): void; all(): void }
let collect: Collect | undefined
const since = { young: 0, all: 0 }

/**
 * Told of each buffer that was used, collects the young generation of the heap every 4 MiB, within a millisecond, and
 * what outlived that every 64 MiB. V8 counts only the few bytes that a buffer takes in its heap, and lets tens of
 * megabytes of them pile up outside it (docs/decisions/0187-memory-and-flushes-of-the-agent.md).
 */
export function freeBuffers(bytes: number): void {
  since.young += bytes
  since.all += bytes
  if (since.young < youngEveryBytes) return
  collect ??= makeCollect()
  if (since.all < allEveryBytes) collect.young()
  else {
    collect.all()
    since.all = 0
  }
  since.young = 0
}

function makeCollect(): Collect {
  setFlagsFromString('--expose-gc')
  const gc: unknown = runInNewContext('gc')
  const call = (options?: { type: 'minor' }) => typeof gc === 'function' && void gc(options)
  return { young: () => void call({ type: 'minor' }), all: () => void call() }
}
