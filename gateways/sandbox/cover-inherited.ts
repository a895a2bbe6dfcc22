import { openSync, readdirSync, readFileSync } from 'node:fs'

/**
 * Node's `stdio` for a step, with /dev/null for each descriptor that this worker inherited and would pass on
 * to its children: a step could otherwise write into a supervisor's pipe.
 */
export function coverInherited<T>(stdio: readonly T[]): Array<T | number> {
  inheritedMax ??= findInheritedMax()
  const missing = Math.max(0, inheritedMax + 1 - stdio.length)
  if (missing === 0) return [...stdio]
  // Not 'ignore': beyond the first three, that leaves a descriptor as it is.
  devNull ??= openSync('/dev/null', 'r+')
  return [...stdio, ...Array<number>(missing).fill(devNull)]
}

let inheritedMax: number | undefined
let devNull: number | undefined

/** Node closes its own descriptors in children; those that stay open were inherited. */
function findInheritedMax(): number {
  if (process.platform !== 'linux') return 2
  const open = readdirSync('/proc/self/fd').map(Number)
  return Math.max(2, ...open.filter((fd) => fd < 4096 && passesOn(fd)))
}

function passesOn(fd: number): boolean {
  try {
    const info = readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')
    const flags = Number.parseInt(/^flags:\s+(\d+)$/m.exec(info)?.[1] ?? '0', 8)
    return (flags & closeOnExec) === 0
  } catch {
    // The descriptor of the listing itself.
    return false
  }
}

const closeOnExec = 0o2000000
