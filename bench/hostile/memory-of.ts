import { readFileSync } from 'node:fs'

export type MemoryWatch = {
  /** Megabytes above the first look, at the most, by part. */
  gained(): Record<string, number>
  stop(): void
}

/**
 * Looks at the memory of some processes ten times a second. A part that dies is told of as
 * `Infinity`, unless it may: then whatever takes its place is held against the memory of the first.
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
