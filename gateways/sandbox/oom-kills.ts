import { readFileSync } from 'node:fs'

/**
 * The number of processes that the kernel of this host has killed for want of memory since its start, whatever cgroup
 * they were in; 0 where it does not say (before Linux 4.13).
 */
export function oomKills(path = '/proc/vmstat'): number {
  try {
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync(path, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}
