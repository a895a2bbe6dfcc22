import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { groupOfRunner, makeCgroup, nameOfOwn, type Cgroup } from '../sandbox/cgroup.ts'
import { coverInherited } from '../sandbox/cover-inherited.ts'
import { findCommand } from '../sandbox/find-command.ts'
import { lowerPriority } from '../sandbox/lower-priority.ts'
import { openChannel, type Channel } from './channel.ts'

export type RunnerOptions = {
  /** The module that it runs. It is told `args` and nothing else. */
  entry: string
  args?: readonly string[]
  /** The service's own folder in which Node keeps the code compiled: a runner starts in half the time. */
  codeCache?: string
  /** Beyond this much memory it is ended. */
  memoryBytes: number
  /** The folder of cgroup v2 for its group; without one a watch alone holds its memory. */
  cgroups?: string | null
  /** What it may write into folders on a tmpfs: those files are memory of the group that wrote them. */
  filesBytes?: number
}

export type RunnerEnd = { how: 'ended' | 'killed' | 'memory_exceeded'; exitCode: number | null }

/** A process for the bytes of one tenant. */
export type Runner = {
  readonly pid: number
  readonly channel: Channel
  /** Settles when the process is gone; never rejects. */
  readonly ended: Promise<RunnerEnd>
  /** Bytes of its memory; 0 where it has ended. */
  memory(): Promise<number>
  kill(): void
}

/** Below worker and API, so that hostile input that costs CPU does not delay them. */
const niceness = 5
const lookEveryMs = 200
/** Of the limit; the rest is for buffers, code and stacks, which are not part of V8's heap. */
const heapShare = 0.75
const pageBytes = 4_096
/** Its threads, and what a step is before it is moved into its own group. */
const maxProcesses = 128

/**
 * Starts a runner. It inherits nothing: its environment has the folder of compiled code at the
 * most, and its only open descriptor is the channel. It ends with the thread that started it, however that ends (PDEATHSIG), and where
 * there is no setpriv, when the channel closes.
 *
 * Where there is cgroup v2, the kernel holds its memory at every moment. A watch that looks now
 * and then is beside it, since files on a tmpfs count there too, so that the group has more room
 * than heaps and buffers may take.
 */
export function startRunner(options: RunnerOptions): Runner {
  const heapMb = Math.floor((options.memoryBytes * heapShare) / 1024 ** 2)
  const setpriv = findCommand('setpriv')
  const prlimit = findCommand('prlimit')
  const command = [
    setpriv ? [setpriv, '--pdeathsig', 'KILL', '--'] : [],
    // A core dump would put a tenant's secrets on the disk.
    prlimit ? [prlimit, '--core=0', '--'] : [],
    [process.execPath, `--max-old-space-size=${heapMb}`, '--disallow-code-generation-from-strings'],
    [options.entry, ...(options.args ?? [])],
  ].flat()
  const child = spawn(command[0] ?? '', command.slice(1), {
    // Terminal output of a library may contain a tenant's data.
    stdio: coverInherited(['ignore', 'ignore', 'ignore', 'pipe']),
    env: options.codeCache === undefined ? {} : { NODE_COMPILE_CACHE: options.codeCache },
    cwd: '/',
    // Ctrl-C in a terminal must not reach it: an apply is allowed to finish.
    detached: true,
  })
  child.unref()
  // Before it is sent anything of a tenant's. What it is by then is not more than Node's start.
  const cgroup = joinGroup(child, options)
  // stdio[3] was asked for as a pipe, which is a socket.
  const socket = child.stdio[3] as Socket
  // What it is sent waits until its CPU group holds it.
  socket.cork()
  // Before it has threads, which inherit the priority.
  void lowerPriority(child.pid, niceness).then(() => socket.uncork())
  return superviseRunner({ child, socket, cgroup }, options)
}

function joinGroup(child: ChildProcess, options: RunnerOptions): Cgroup | undefined {
  const { cgroups, memoryBytes, filesBytes = 0 } = options
  // It could not be started, which its end says.
  if (cgroups === undefined || cgroups === null || child.pid === undefined) return undefined
  let cgroup: Cgroup | undefined
  try {
    cgroup = makeCgroup(cgroups, nameOfOwn(groupOfRunner), {
      memoryBytes: memoryBytes + filesBytes,
      processes: maxProcesses,
    })
    cgroup.add(child.pid)
    return cgroup
  } catch (error) {
    // It must not work without its limits.
    child.kill('SIGKILL')
    void cgroup?.remove()
    throw error
  }
}

type Started = { child: ChildProcess; socket: Socket; cgroup: Cgroup | undefined }

function superviseRunner({ child, socket, cgroup }: Started, options: RunnerOptions): Runner {
  let how: RunnerEnd['how'] = 'ended'
  const kill = (reason: RunnerEnd['how']) => {
    if (child.exitCode !== null || child.signalCode !== null) return
    if (how === 'ended') how = reason
    child.kill('SIGKILL')
  }
  const watch = setInterval(() => {
    void memoryOf(child.pid).then((bytes) => {
      if (bytes > options.memoryBytes) kill('memory_exceeded')
    })
  }, lookEveryMs).unref()

  const gone = async (): Promise<RunnerEnd> => {
    try {
      const [exitCode, signal] = await once(child, 'exit')
      // V8 aborts when its heap is full; the kernel kills the group when that is.
      if (how === 'ended' && cgroup?.outOfMemory()) how = 'memory_exceeded'
      else if (how === 'ended' && (signal === 'SIGABRT' || signal === 'SIGTRAP'))
        how = 'memory_exceeded'
      else if (how === 'ended' && signal !== null) how = 'killed'
      return { how, exitCode: exitCode as number | null }
    } catch {
      // It could not be started.
      return { how: 'killed', exitCode: null }
    } finally {
      clearInterval(watch)
      void cgroup?.remove()
    }
  }
  return {
    pid: child.pid ?? 0,
    channel: openChannel(socket),
    ended: gone(),
    memory: async () => memoryOf(child.pid),
    kill: () => kill('killed'),
  }
}

async function memoryOf(pid: number | undefined): Promise<number> {
  const statm = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '')
  return Number(statm.split(' ')[1] ?? 0) * pageBytes
}
