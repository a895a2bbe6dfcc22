import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, openSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { type Cgroup, makeCgroup } from './cgroup.ts'
import { coverInherited } from './cover-inherited.ts'
import { type Bench, type LaunchedStep, limitCommand, nicenessOfSteps } from './launch.ts'
import type { BubblewrapHost } from './launcher-host.ts'
import { lowerPriority } from './lower-priority.ts'
import { namespaceOf } from './namespace-of.ts'
import { systemFolders } from './system-folders.ts'
import type { Step } from './workbench.ts'

/** Starts a step in namespaces of its own (docs/decisions/0007-sandbox.md). */
export function launchInBubblewrap(host: BubblewrapHost, bench: Bench, step: Step): LaunchedStep {
  // Before anything is started or opened, for it throws.
  const options = joinOptions(optionsOf(host, bench, step))
  const inside = `/engine/${basename(step.program)}`
  const limits = limitCommand(host.prlimit, step, {
    countsOwnUid: true,
    hasCgroup: host.cgroups !== null,
  })
  const command = [
    bench.enterNetwork,
    [host.bwrap, '--args', '3', '--info-fd', '5'],
    host.etc.seccompFile ? ['--seccomp', '4'] : [],
    // In its own user namespace, a process limit counts the sandbox's processes alone.
    ['--', ...ownStreams, ...limits, inside, ...step.args],
  ].flat()
  const seccomp = host.etc.seccompFile ? openSync(host.etc.seccompFile, 'r') : 'ignore'
  // nsenter changes the uid itself, because entering the network needs root.
  const changesUid = bench.uid !== undefined && bench.enterNetwork.length === 0
  const child = spawn(command[0] ?? '', command.slice(1), {
    stdio: coverInherited(['ignore', 'ignore', 'pipe', 'pipe', seccomp, 'pipe', 'pipe', 'pipe']),
    // Empty, since /proc/1/environ inside shows what bwrap was started with.
    env: {},
    cwd: '/',
    // In a process group of its own, to be killed as a whole.
    detached: true,
    ...(changesUid ? { uid: bench.uid, gid: bench.uid } : {}),
  })
  if (typeof seccomp === 'number') closeSync(seccomp)
  giveToOomKiller(child.pid)
  // bwrap starts nothing before it has read its options, so everything it starts is in the group.
  const cgroup =
    host.cgroups === null ? undefined : joinCgroup(host.cgroups, child, { bench, step })
  const grouped = cgroup ? Promise.resolve() : lowerPriority(child.pid, nicenessOfSteps)

  // The variables go through a pipe: on the command line every user of the host could read them.
  // Node's type knows five descriptors; these were asked for as pipes above.
  const pipes = child.stdio as unknown as Record<2 | 5 | 7, Readable> & Record<3 | 6, Writable>
  sendOnce(grouped, pipes[3], options)
  const namespace = namespaceOf(pipes[5])

  return {
    child,
    stdin: pipes[6],
    stdout: pipes[7],
    stderr: pipes[2],
    interrupt: () => namespace.interruptProgram(),
    kill() {
      // Its first process, then the group: the kernel kills a pid namespace with its first process.
      if (child.exitCode === null && child.signalCode === null) namespace.kill()
      cgroup?.kill()
      killGroup(child.pid)
    },
    memoryBytes: async () => (cgroup ? cgroup.ownMemoryBytes() : namespace.memoryBytes()),
    outOfMemory: () => cgroup?.outOfMemory(),
    async gone() {
      await namespace.gone()
      await cgroup?.remove()
    },
  }
}

/** Puts a step that has just been started into a cgroup of its own. */
function joinCgroup(
  runs: string,
  child: ChildProcess,
  { bench, step }: { bench: Bench; step: Step },
): Cgroup | undefined {
  // It could not be started, which the child's error says.
  if (child.pid === undefined) return undefined
  const name = `${basename(bench.root)}-${randomBytes(4).toString('hex')}`
  const { memoryBytes, processes } = step.limits
  let cgroup: Cgroup | undefined
  try {
    cgroup = makeCgroup(runs, name, {
      // Files on a tmpfs count as memory of the group that wrote them.
      memoryBytes: memoryBytes + bench.tmpfsBytes + 2 * tmpBytes,
      processes: processes + ownProcesses,
    })
    cgroup.add(child.pid)
    return cgroup
  } catch (error) {
    // It waits for its options, and must not run without limits.
    killGroup(child.pid)
    void cgroup?.remove()
    throw error
  }
}

/** bwrap outside and inside, and what goes before the program. */
const ownProcesses = 8

/**
 * Connects the program's input and output to descriptors 6 and 7. Process 1 of the sandbox is bwrap, which
 * makes itself dumpable, so a child of the program could write into its memory and print through it. It only
 * keeps its first three descriptors, which are therefore /dev/null and the error stream.
 */
const ownStreams = ['/bin/sh', '-c', 'exec "$@" <&6 >&7 6<&- 7>&-', 'sh']

/** bwrap starts nothing before it has its options, which the caller has made: what throws must throw there. */
function sendOnce(grouped: Promise<void>, pipe: Writable, options: string): void {
  pipe.on('error', () => {})
  void grouped.then(() => pipe.end(options))
}

/**
 * As bwrap reads them: each ends with NUL. A NUL within one, as in a variable of the run's author, would
 * begin an option of theirs, which could bind a folder of the host. The message has no value: it may be secret.
 */
function joinOptions(options: readonly string[]): string {
  if (options.some((option) => option.includes('\0')))
    throw new Error('An option of the sandbox has a NUL in it, such as a variable of the step')
  return options.map((option) => `${option}\0`).join('')
}

function optionsOf(host: BubblewrapHost, bench: Bench, step: Step): string[] {
  const readOnly = (step.readOnly ?? []).flatMap((folder) => [
    '--ro-bind',
    `${bench.root}/${folder}`,
    `/bench/${folder}`,
  ])
  return [
    ['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup'],
    bench.enterNetwork.length === 0 ? ['--unshare-net'] : [],
    // --disable-userns: a user namespace inside would open the kernel's mount and network code.
    // --new-session: TIOCSTI could type into the worker's terminal.
    ['--disable-userns', '--die-with-parent', '--new-session'],
    ['--uid', '1000', '--gid', '1000', '--hostname', 'sandbox'],
    ['--clearenv', ...Object.entries(step.env).flatMap(([k, v]) => ['--setenv', k, v])],
    systemFolders(),
    host.etc.options,
    ['--ro-bind', bench.program, `/engine/${basename(step.program)}`],
    ['--bind', bench.root, '/bench', ...readOnly],
    ['--perms', '1777', '--size', String(tmpBytes), '--tmpfs', '/tmp'],
    // After /tmp, for one of them may lie below it.
    host.shared.flatMap((folder) => ['--ro-bind', folder, folder]),
    // Unless they are read-only, / and /dev are tmpfs without a size: unlimited memory.
    ['--proc', '/proc', '--dev', '/dev', '--size', String(tmpBytes), '--tmpfs', '/dev/shm'],
    ['--remount-ro', '/dev', '--remount-ro', '/'],
    ['--chdir', `/bench/${step.cwd}`],
  ].flat()
}

const tmpBytes = 64 * 1024 * 1024

/** When the host runs out of memory, the kernel kills steps before the worker and the database. */
function giveToOomKiller(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000')
  } catch {
    // It has ended already.
  }
}

function killGroup(group: number | undefined): void {
  if (group === undefined) return
  try {
    process.kill(-group, 'SIGKILL')
  } catch {
    // Nobody of it is left.
  }
}
