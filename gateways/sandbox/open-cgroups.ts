import { accessSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { basename, dirname, join, resolve } from 'node:path'

/** The folder in which `makeCgroup` makes groups, or why there is none. */
export type OpenedCgroups = { runs: string } | { missing: string }

/**
 * Prepares a part of the cgroup v2 tree for the steps and runners of this work folder:
 *
 *     <what the host delegates>/service    this process and whatever shares its group
 *     <what the host delegates>/runs-…     the groups of steps, together at a tenth of the CPU's weight
 *
 * The kernel gives controllers only to the children of a group without processes of its own ("no internal
 * processes", cgroup-v2.rst), hence `service`.
 */
export function openCgroups(workDir: string, proc = '/proc/self'): OpenedCgroups {
  try {
    const own = findOwn(proc)
    if (!own) return { missing: 'cgroup v2 is not mounted' }
    const home = homeFor(own)
    if (!home) return { missing: `no group above ${own} hands on memory, pids and cpu` }
    const lacking = controllers.filter((name) => !listed(home, 'cgroup.controllers').includes(name))
    if (lacking.length > 0) return { missing: `${home} has no controller ${lacking.join(', ')}` }
    accessSync(home, constants.W_OK)
    enableControllers(home)

    const name = `runs-${createHash('sha256').update(workDir).digest('hex').slice(0, 12)}`
    const runs = join(home, name)
    mkdirSync(runs, { recursive: true })
    // A tenth of what worker and API have by default, for all steps together.
    writeFileSync(join(runs, 'cpu.weight'), '10')
    enableControllers(runs)
    return { runs }
  } catch (error) {
    return { missing: (error as Error).message }
  }
}

const controllers = ['memory', 'pids', 'cpu']
const service = 'service'

/** This process's group as a folder; undefined without cgroup v2. */
function findOwn(proc: string): string | undefined {
  const line = readFileSync(`${proc}/mountinfo`, 'utf8')
    .split('\n')
    .find((text) => text.includes(' - cgroup2 '))
  const path = /^0::(.*)$/m.exec(readFileSync(`${proc}/cgroup`, 'utf8'))?.[1]
  const [, , , root, mountPoint] = line?.split(' ') ?? []
  if (root === undefined || mountPoint === undefined || path === undefined) return undefined
  const below = root === '/' ? path : path.startsWith(root) ? path.slice(root.length) : ''
  const own = resolve(mountPoint, `./${below}`)
  return basename(own) === service ? dirname(own) : own
}

/**
 * The group that may be divided: that of a service, a container or a delegation. The group of a login session
 * also has a person's shell, so root uses a parent of it.
 */
function homeFor(own: string): string | undefined {
  const isRoot = process.getuid?.() === 0
  const isSession = own.endsWith('.scope')
  if (!isRoot || !isSession) return own
  for (let group = dirname(own); existsSync(join(group, 'cgroup.procs')); group = dirname(group)) {
    const handedOn = listed(group, 'cgroup.subtree_control')
    if (controllers.every((name) => handedOn.includes(name))) return group
  }
  return undefined
}

function enableControllers(group: string): void {
  const handedOn = listed(group, 'cgroup.subtree_control')
  const wanted = controllers.filter((name) => !handedOn.includes(name))
  if (wanted.length === 0) return
  // The root of the tree, which has no type, may have processes of its own.
  if (existsSync(join(group, 'cgroup.type'))) moveProcesses(group, join(group, service))
  writeFileSync(join(group, 'cgroup.subtree_control'), wanted.map((name) => `+${name}`).join(' '))
}

/** Repeats until none is left: a process may have started another while it was moved. */
function moveProcesses(from: string, to: string): void {
  for (let tries = 0; tries < 100; tries += 1) {
    const pids = listed(from, 'cgroup.procs')
    if (pids.length === 0) return
    mkdirSync(to, { recursive: true })
    for (const pid of pids)
      try {
        writeFileSync(join(to, 'cgroup.procs'), pid)
      } catch (error) {
        // It has ended; anything else is told.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
      }
  }
}

const listed = (group: string, file: string): string[] =>
  readFileSync(join(group, file), 'utf8').split(/\s+/).filter(Boolean)
