import { readFileSync } from 'node:fs'

export type MemoryWatch = {
  /** The largest growth since the first measurement, in megabytes, by part. */
  gained(): Record<string, number>
  stop(): void
}

/**
 * Measures the memory of these processes ten times a second. A part that dies counts as `Infinity`.
 * With `mayDie`, its replacement is compared with the first process's memory.
 */
export function watchMemory(
  pidsNow: () => Readonly<Record<string, number>>,
  mayDie = false,
): MemoryWatch {
  const pids = pidsNow()
  const first = new Map(Object.entries(pids).map(([name, pid]) => [name, residentMb(pid)]))
  const most = new Map<string, number>()
  const look = () => {
    for (const [name, pid] of Object.entries(mayDie ? pidsNow() : pids)) {
      const gained = residentMb(pid) - (first.get(name) ?? 0)
      if (mayDie && gained === Number.POSITIVE_INFINITY) continue
      most.set(name, Math.max(most.get(name) ?? 0, gained))
    }
  }
  const timer = setInterval(look, 100)
  return {
    gained: () => Object.fromEntries(most),
    stop: () => clearInterval(timer),
  }
}

function residentMb(pid: number): number {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return kilobytes === undefined ? Number.POSITIVE_INFINITY : Number(kilobytes) / 1_024
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
