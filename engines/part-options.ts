import type { Leash } from './leash.ts'

export type PartOptions = {
  name: string
  program: string
  arguments: readonly string[]
  env: NodeJS.ProcessEnv
  owner?: { uid: number; gid: number } | undefined
  /** Requests of all organizations wait for it: on a busy host it gets more of the CPU than the rest. */
  answers?: boolean
  /** A second process is kept that has prepared itself, and takes over as soon as the first ends. */
  spare?: boolean
  cwd?: string | undefined
  dataDir: string
  leash: Leash
  say: (line: string) => void
  /** Called with each line of the part's output. */
  onLine?: (line: string) => void
  /** Runs before every start of the process, to clean up after a crash. */
  prepare?: () => Promise<void>
  /** Resolves if the part answers, and rejects otherwise. Repeated until it resolves. */
  probe: () => Promise<void>
  readyTimeoutMs: number
  stopSignal: NodeJS.Signals
  stopTimeoutMs: number
  /** Attempts of the first start, default 3. A part that was ready once restarts without limit. */
  firstAttempts?: number
  /** Cancels the first start. Later, `stop` ends the part. */
  signal?: AbortSignal | undefined
}
