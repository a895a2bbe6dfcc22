import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const everyBytes = 4 * 1024 * 1024
let collectYoung: (() => void) | undefined
let since = 0

/**
 * Told of the bytes of each buffer that was passed on, collects the young generation every 4 MiB, which takes a
 * millisecond. V8 does not do so for what a buffer has outside its heap, and collects the whole heap instead, every
 * 64 MiB (docs/decisions/0218-what-a-deployment-costs.md).
 */
export function freeBuffers(bytes: number): void {
  since += bytes
  if (since < everyBytes) return
  since = 0
  collectYoung ??= makeCollect()
  collectYoung()
}

function makeCollect(): () => void {
  setFlagsFromString('--expose-gc')
  const gc: unknown = runInNewContext('gc')
  // Contexts that are made later, of workflows too, have no `gc`.
  setFlagsFromString('--no-expose-gc')
  return typeof gc === 'function' ? () => void gc({ type: 'minor' }) : () => undefined
}
