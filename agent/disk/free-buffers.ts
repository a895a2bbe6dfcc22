import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const everyBytes = 16 * 1024 * 1024
let collect: (() => void) | undefined
let since = 0

/**
 * Told of each buffer that was used, collects the garbage every 16 MiB. V8 counts only the few bytes that a buffer
 * takes in its heap, and lets tens of megabytes of them pile up outside it (`npm run bench -- agent`).
 */
export function freeBuffers(bytes: number): void {
  since += bytes
  if (since < everyBytes) return
  since = 0
  collect ??= makeCollect()
  collect()
}

function makeCollect(): () => void {
  setFlagsFromString('--expose-gc')
  const gc: unknown = runInNewContext('gc')
  return typeof gc === 'function' ? () => void gc() : () => undefined
}
