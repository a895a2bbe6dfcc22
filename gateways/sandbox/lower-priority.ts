import { setPriority } from 'node:os'
import { joinCpuGroup, openCpuGroup } from './cpu-group.ts'

/** Opened once: `null` is a host without one. */
let cpuGroup: string | null | undefined

/**
 * Has a process, and everything that it starts from now on, give way to worker, API and database, on
 * a host without cgroup v2. Its niceness is set at once, its CPU group when the promise resolves. Never rejects.
 */
export async function lowerPriority(pid: number | undefined, niceness: number): Promise<void> {
  if (pid === undefined) return
  if (cpuGroup === undefined) cpuGroup = openCpuGroup('runs') ?? null
  try {
    setPriority(pid, niceness)
  } catch {
    // It has ended already.
  }
  if (cpuGroup !== null) await joinCpuGroup(cpuGroup, pid)
}
