import type { ChildProcess } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import type { OutOfMemory } from './cgroup.ts'
import type { Step } from './workbench.ts'

/** A started step, with handles on its processes. */
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
  /** Memory of all its processes, as far as it can be measured. */
  memoryBytes(): Promise<number>
  /** For want of whose memory the kernel killed it, as far as its cgroup says. */
  outOfMemory(): OutOfMemory
  /** Settles once no process of the step is left. */
  gone(): Promise<void>
}

/** What a launcher needs to know of the workbench. */
export type Bench = {
  root: string
  uid: number | undefined
  /** Host path of the program. */
  program: string
  /** The command that enters the run's private network; empty if there is none. */
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
  const { memoryBytes, reservedBytes = arenaSlackBytes, processes, fileSizeBytes } = step.limits
  return [
    prlimit,
    // This limit counts all processes of a uid, so it needs a uid that only this slot has.
    ...(countsOwnUid ? [`--nproc=${processes}`] : []),
    `--fsize=${fileSizeBytes}`,
    '--nofile=4096',
    '--core=0',
    // Not the address space, of which Go and V8 reserve far more than they use. The periodic measurement
    // decides; this limits a process that grows faster than it. A cgroup is better, and reports that it was the
    // memory.
    ...(hasCgroup ? [] : [`--data=${memoryBytes + reservedBytes}`]),
    '--',
  ]
}

/** Go takes its heap in arenas of 64 MiB, whole before it is used. */
const arenaSlackBytes = 128 * 1024 * 1024

/** Below worker and API, so that a step that computes does not delay them. */
export const nicenessOfSteps = 10
