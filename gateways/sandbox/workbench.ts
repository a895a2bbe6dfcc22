import type { Server } from 'node:http'
import type { LauncherHost } from './launcher-host.ts'

/** `sh` is the host's shell, for what only the system's own tools can do; `node` runs the reader of bills, `syft` lists what an artifact is made of. */
export type Program = 'tofu' | 'opa' | 'sh' | 'node' | 'syft'

export type StepLimits = {
  timeoutMs: number
  /** A step that prints nothing for so long is ended. */
  silenceMs: number
  memoryBytes: number
  /** Memory that the program's runtime reserves and leaves unused. Usually that of Go's arenas. */
  reservedBytes?: number
  processes: number
  fileSizeBytes: number
}

export type Step = {
  program: Program
  args: readonly string[]
  /** The whole environment of the step; nothing is inherited. */
  env: Readonly<Record<string, string>>
  /** Relative to the workbench's root. */
  cwd: string
  /** Folders at the top of the workbench that this step may read but not write. */
  readOnly?: readonly string[]
  /** `run`: this run's state endpoint and the egress proxy, nothing else. `none`: loopback only. */
  network: 'none' | 'run'
  limits: StepLimits
  /** Called with each line of stderr and, without `captureBytes`, of stdout. Awaited, so it slows the program. */
  onLine?: (stream: 'stdout' | 'stderr', line: string) => void | Promise<void>
  /** Keep stdout instead of splitting it into lines; more than this many bytes ends the step as `too_much_output`. */
  captureBytes?: number
  /** Up to this many further bytes are counted, so that a refusal can report the size. */
  countBytes?: number
  /** Input of the program; closed at once when absent. */
  stdin?: string | Buffer
  /** Aborting interrupts (SIGINT), waits for the grace time, then kills the whole process group. */
  signal?: AbortSignal
  /** Told the process group as soon as there is one. */
  onSpawn?: (processGroup: number) => void
}

export type StepEnd = {
  how: 'exited' | 'canceled' | 'timed_out' | 'silent' | 'killed' | 'too_much_output'
  exitCode: number | null
  signal: string | null
  /** The limit that ended the step as `killed`, if a measurement of ours found it. */
  limit?: 'memory' | 'disk'
  /** The host, or the container around the worker, was out of memory; the step was within its own. */
  ofHost?: true
  /** Empty unless `captureBytes` was set, and where it was more than that. */
  stdout: Buffer
  /** How much of it there was, as far as it was read. */
  stdoutBytes: number
}

/** A claimed slot with its own unprivileged uid and a work folder of limited size, mostly on a tmpfs. */
export interface Workbench {
  /** Address of this run's state endpoint as seen from inside a step with `network: 'run'`. */
  readonly stateUrl: string
  /** Address of the egress proxy as seen from inside a step with `network: 'run'`. */
  readonly proxyUrl: string
  /** The Git relay's address inside a step with `network: 'run'`; without a relay nothing listens there. */
  readonly gitUrl: string
  /** The address of the door to credentials inside such a step; without one nothing listens there. */
  readonly cloudUrl: string
  /** Path of a folder of the workbench as seen from inside a step (`/bench/out` in bubblewrap). */
  inside(path: string): string
  /** Writes a file for the steps to read. Refuses a path that leaves the workbench or crosses a symbolic link. */
  write(path: string, content: string | Buffer): Promise<void>
  makeFolder(path: string): Promise<void>
  /** Reads a regular file that a step wrote; undefined when there is none. Never follows a symbolic link. */
  read(path: string, maxBytes: number): Promise<Buffer | undefined>
  /** Gives the steps a file of the host's to read, without a copy where both lie on one disk. */
  place(path: string, hostPath: string): Promise<void>
  /** Moves a regular file that a step wrote to this path of the host's. No step may run. */
  takeOut(path: string, hostPath: string): Promise<void>
  run(step: Step): Promise<StepEnd>
  /** Kills what is left, unmounts and removes all of it. Safe to call twice. */
  close(): Promise<void>
}

export type OpenOptions = {
  label: string
  sizeBytes: number
  statePath?: string
  /** A server that does not listen yet; closed with the workbench. */
  gitRelay?: Server | undefined
  /** The same for the door to credentials of a cloud account. */
  cloudDoor?: Server | undefined
}

/**
 * Everything that a process needs to run steps in a workbench that the worker holds, as plain data: a runner gets
 * it as JSON and starts its steps itself (`workbenchFrom`).
 */
export type BenchGrant = {
  launcher: LauncherHost
  /** Host path of the work folder. */
  root: string
  uid: number | null
  programs: Partial<Record<Program, string>>
  /** The command that enters the private network; empty where there is none to enter. */
  enterNetwork: readonly string[]
  urls: Pick<Workbench, 'stateUrl' | 'proxyUrl' | 'gitUrl' | 'cloudUrl'>
  graceMs: number
  /** Set if the kernel does not limit the size of the work folder. */
  quotaBytes: number | null
  /** Size of the tmpfs that the work folder is; 0 where it lies on a disk. */
  tmpfsBytes: number
}

/** A claimed slot, work folder and network, lent out. */
export type Loan = {
  readonly grant: BenchGrant
  /**
   * Closes the doors and removes the folder. Idempotent. `lost`: the borrower is gone, so the processes that it left
   * are killed first.
   */
  close(how?: { lost: boolean }): Promise<void>
}

/** Opens workbenches: the worker's own sandbox, or in a runner the worker. */
export interface Benches {
  /** Claims a slot; waits up to a minute for one. `statePath` is the one path of the API that the run may reach (`/api/workspaces/7/state`). */
  open(options: OpenOptions): Promise<Workbench>
}

export type MemoryLimit = 'cgroup' | 'watch'

export interface Sandbox extends Benches {
  readonly kind: 'bubblewrap' | 'process'
  /** As `open`, for another process to work in: the grant goes to it, the loan stays here. */
  lend(options: OpenOptions): Promise<Loan>
  /** What enforces a step's memory limit: the kernel, or periodic measurement. */
  readonly memoryLimit: MemoryLimit
  /** The folder of cgroup v2 for the groups of steps and runners; null where there is none. */
  readonly cgroups: string | null
  /** Notes for the operator on this host's isolation, for the log and /readyz. */
  readonly notes: readonly string[]
}

/** A sandbox as its owner holds it. */
export interface OwnedSandbox extends Sandbox {
  /** Closes the workbenches that are open and gives the slots back. */
  close(): Promise<void>
}
