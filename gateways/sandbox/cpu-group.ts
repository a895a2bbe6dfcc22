import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'

const name = 'cloud-control-runs'
/** A tenth of what a process or group has by default, for all runs together, as `cpu.weight` 10 of cgroup v2 is. */
const shares = 102

/**
 * A group of cgroup v1's controller `cpu` for everything of runs, as a folder; undefined without that
 * controller, or where this process may not make a group. For hosts without cgroup v2: there `nice`
 * alone has no effect if the kernel groups processes by session (`sched_autogroup_enabled`, its
 * default), since each step and each runner is a session of its own.
 */
export function openCpuGroup(proc = '/proc/self'): string | undefined {
  try {
    const own = findOwn(proc)
    if (own === undefined) return undefined
    // A runner is in the group already, and so is what it starts.
    const group = basename(own) === name ? own : join(own, name)
    mkdirSync(group, { recursive: true })
    writeFileSync(join(group, 'cpu.shares'), String(shares))
    return group
  } catch {
    return undefined
  }
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
