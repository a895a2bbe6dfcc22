import { readFile } from 'node:fs/promises'
import { joinCpuGroup, openCpuGroup } from './cpu-group.ts'

/** Opened once: `null` is a host without one. */
let cpuGroup: string | null | undefined

/** The server's side of a connection: its process, and the port of the client that its title names. */
export type Backend = { pid: number; clientPort: number }

/**
 * Has PostgreSQL's process of a connection of the worker give way to those of the API, where PostgreSQL runs on this
 * host without cgroup v2: a sync of 100,000 resources takes minutes of its CPU, and nobody waits for it at a screen.
 * Elsewhere it does nothing. Never rejects.
 */
export async function lowerBackend({ pid, clientPort }: Backend): Promise<void> {
  if (cpuGroup === undefined) cpuGroup = openCpuGroup('work') ?? null
  if (cpuGroup === null) return
  // A process of another host's PostgreSQL may have the number of any process here.
  const title = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '')
  if (title.startsWith('postgres: ') && title.includes(`(${clientPort})`))
    await joinCpuGroup(cpuGroup, pid)
}
