import type { ChildProcess } from 'node:child_process'
import { setPriority } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import type { Step } from './workbench.ts'

/** A step that has been started, and the handles on its processes that its kind of sandbox gives. */
export type LaunchedStep = {
  child: ChildProcess
  /** The program's own streams, which need not be those of `child`. */
  stdin: Writable
  stdout: Readable
  stderr: Readable
  /** SIGINT to the program itself, which then ends in its own way (tofu saves its state). */
  interrupt(): Promise<void>
  /** SIGKILL to everything the step started. */
  kill(): void
  /** Memory of all its processes, as far as this kind of sandbox can tell. */
  memoryBytes(): Promise<number>
  /** Whether the kernel ended it because its cgroup went over its memory. */
  ranOutOfMemory(): boolean
  /** Settles once no process of the step is left. */
  gone(): Promise<void>
}

/** What a launcher needs to know of the workbench. */
export type Bench = {
  root: string
  uid: number | undefined
  /** Host path of the program. */
  program: string
  /** The command that enters the run's private network; empty when there is none to enter. */
  enterNetwork: readonly string[]
  /** Size of the tmpfs that `root` is, whose files count as memory of its cgroup; 0 on a disk. */
  tmpfsBytes: number
}

export type Launcher = (bench: Bench, step: Step) => LaunchedStep

/** util-linux's prlimit with the step's limits, to be put in front of the program. */
export function limitCommand(
  prlimit: string,
  step: Step,
  { countsOwnUid, hasCgroup }: { countsOwnUid: boolean; hasCgroup: boolean },
): string[] {
  const { memoryBytes, processes, fileSizeBytes } = step.limits
  return [
    prlimit,
    // A process limit counts all processes of a uid, so it only fits a uid that is the slot's alone.
    ...(countsOwnUid ? [`--nproc=${processes}`] : []),
    `--fsize=${fileSizeBytes}`,
    '--nofile=4096',
    '--core=0',
    // Not the address space: Go and V8 reserve far more of it than they use. The watch of what
    // is used decides; this holds a process that grows faster than the watch looks. A cgroup
    // holds it better, and says afterwards that it was the memory.
    ...(hasCgroup ? [] : [`--data=${memoryBytes + arenaSlackBytes}`]),
    '--',
  ]
}

/** Go takes its heap in arenas of 64 MiB, whole before it is used. */
const arenaSlackBytes = 128 * 1024 * 1024

/** Where there is no cgroup: a step that computes must not hold up worker and API. */
export function lowerPriority(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    setPriority(pid, 10)
  } catch {
    // It has ended already.
  }
}
