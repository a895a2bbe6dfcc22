import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** A control group (cgroup v2) with one step or runner and everything that it starts. */
export type Cgroup = {
  /** Moves a process in. Children that it already has stay where they are. */
  add(pid: number): void
  /** Heaps and stacks, without files and shared mappings, which count towards the group's limit. */
  ownMemoryBytes(): number
  /** For want of whose memory the kernel killed the group; undefined if it did not. */
  outOfMemory(): OutOfMemory
  /** SIGKILL to everything in it at once, so that no fork escapes. */
  kill(): void
  /** Ends what is left in it and removes it. */
  remove(): Promise<void>
}

/** The group's own limit, or that of the host or of a group around it, such as the worker's container. */
export type OutOfMemory = 'own' | 'host' | undefined

export type CgroupLimits = {
  /** Everything that it holds: heaps, shared mappings, files on a tmpfs, page cache, kernel memory. */
  memoryBytes: number
  processes: number
}

/** What the names of runners' groups begin with; those of steps begin with `slot`. */
export const groupOfRunner = 'runner'

/** Makes a group below this folder, which `openCgroups` has prepared. */
export function makeCgroup(runs: string, name: string, limits: CgroupLimits): Cgroup {
  const path = join(runs, name)
  mkdirSync(path)
  const put = (file: string, value: string) => writeFileSync(join(path, file), value)
  try {
    put('memory.max', String(limits.memoryBytes))
    put('pids.max', String(limits.processes))
    // All of a step or none of it: a plan with only its provider killed would look like any failure.
    put('memory.oom.group', '1')
    putIfThere(join(path, 'memory.swap.max'), '0')
  } catch (error) {
    rmdirSync(path)
    throw error
  }

  return {
    add: (pid) => put('cgroup.procs', String(pid)),
    ownMemoryBytes: () =>
      Number(/^anon (\d+)$/m.exec(readIfThere(join(path, 'memory.stat')))?.[1] ?? 0),
    outOfMemory() {
      const events = readIfThere(join(path, 'memory.events'))
      // `oom_kill` counts kills by any killer, `oom` how often the group reached its own limit.
      if (!/^oom_kill [1-9]/m.test(events)) return undefined
      return /^oom [1-9]/m.test(events) ? 'own' : 'host'
    },
    kill: () => killAllIn(path),
    remove: () => removeCgroup(path),
  }
}

/** Kills what is in it, and removes it once the kernel lets go. */
async function removeCgroup(path: string): Promise<void> {
  for (let tries = 0; tries < 500; tries += 1) {
    killAllIn(path)
    try {
      await rmdir(path)
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    }
    await sleep(10)
  }
}

/** Names a group after this process, which ends with it: `removeGroupsOfDead` finds it by that. */
export const nameOfOwn = (prefix: string): string =>
  `${prefix}-${process.pid}-${randomBytes(4).toString('hex')}`

/** Removes the groups named by `nameOfOwn` of processes that are gone. */
export async function removeGroupsOfDead(runs: string, prefix: string): Promise<void> {
  const names = readdirSync(runs).filter((name) => {
    const [kind, pid] = name.split('-')
    return kind === prefix && !isAlive(Number(pid))
  })
  await Promise.all(names.map(async (name) => removeCgroup(join(runs, name))))
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Removes the groups of this work folder, or of whatever this name begins. */
export async function removeCgroups(runs: string, prefix: string): Promise<void> {
  const names = readdirSync(runs).filter((name) => name.startsWith(prefix))
  await Promise.all(names.map(async (name) => removeCgroup(join(runs, name))))
}

/** `cgroup.kill` needs Linux 5.14; before that each process is killed. */
function killAllIn(path: string): void {
  if (putIfThere(join(path, 'cgroup.kill'), '1')) return
  for (const pid of readIfThere(join(path, 'cgroup.procs')).split('\n').filter(Boolean))
    try {
      process.kill(Number(pid), 'SIGKILL')
    } catch {
      // It has ended already.
    }
}

/** A file of the kernel's that not every version has, or a group that is gone. */
function putIfThere(path: string, value: string): boolean {
  try {
    // Never created: in a group that is gone it would be a file of ours.
    writeFileSync(path, value, { flag: 'r+' })
    return true
  } catch {
    return false
  }
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
