import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'

/** Shares of the CPU, where a process or group has 1,024 by default, as `cpu.weight` has 100 with cgroup v2. */
const groups = {
  /** All runs together: a tenth. */
  runs: { name: 'cloud-control-runs', shares: 102 },
  /** PostgreSQL's processes for the worker, as many shares as the worker has. */
  work: { name: 'cloud-control-work', shares: 1_024 },
  /** The API and the embedded PostgreSQL, for which every organization waits. */
  answers: { name: 'cloud-control-answers', shares: 4_096 },
}
const names = new Set(Object.values(groups).map(({ name }) => name))

/**
 * A group of cgroup v1's controller `cpu`, as a folder; undefined without that controller, or where this
 * process may not make a group. For hosts without cgroup v2: there `nice` alone has no effect if the
 * kernel groups processes by session (`sched_autogroup_enabled`, its default), since each step, each
 * runner and each connection of PostgreSQL is a session of its own.
 */
export function openCpuGroup(of: keyof typeof groups, proc = '/proc/self'): string | undefined {
  const { name, shares } = groups[of]
  try {
    const own = findOwn(proc)
    if (own === undefined) return undefined
    // A runner and the API are in a group already: theirs are beside it, not below.
    const group = join(names.has(basename(own)) ? dirname(own) : own, name)
    mkdirSync(group, { recursive: true })
    writeFileSync(join(group, 'cpu.shares'), String(shares))
    return group
  } catch {
    return undefined
  }
}

/**
 * Puts a process there, and with it whatever it starts from then on. The kernel takes 5 to 170 ms for it, so the event
 * loop does not wait for that. Never rejects.
 */
export async function joinCpuGroup(group: string, pid: number): Promise<void> {
  // It may have ended already.
  await writeFile(join(group, 'cgroup.procs'), String(pid)).catch(() => undefined)
}

/** This process's group of the controller `cpu`, as a folder. */
function findOwn(proc: string): string | undefined {
  const mount = readFileSync(`${proc}/mountinfo`, 'utf8')
    .split('\n')
    .find((line) => / - cgroup \S+ (?:\S*,)?cpu(?:,|$)/.test(line))
  const path = /^\d+:(?:[^:]*,)?cpu(?:,[^:]*)?:(.*)$/m.exec(
    readFileSync(`${proc}/cgroup`, 'utf8'),
  )?.[1]
  const [, , , root, mountPoint] = mount?.split(' ') ?? []
  if (root === undefined || mountPoint === undefined || path === undefined) return undefined
  const below = root === '/' ? path : path.startsWith(root) ? path.slice(root.length) : ''
  return resolve(mountPoint, `./${below}`)
}

/** Whether the kernel shares the CPU between sessions first, so that `nice` counts within a session alone. */
export function sharesBySession(): boolean {
  try {
    return readFileSync('/proc/sys/kernel/sched_autogroup_enabled', 'utf8').trim() === '1'
  } catch {
    return false
  }
}
