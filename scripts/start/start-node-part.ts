import { expectAnswer } from '../../engines/expect-answer.ts'
import type { Leash } from '../../engines/leash.ts'
import { watchPart, type Part } from '../../engines/watch-part.ts'
import { showLogLine } from './show-log-line.ts'

export type NodePartOptions = {
  name: 'api' | 'worker'
  script: string
  root: string
  dataDir: string
  env: NodeJS.ProcessEnv
  leash: Leash
  say: (line: string) => void
  signal: AbortSignal
  /** Longer than the grace that the part gives its own work; 20 s unless said. */
  stopTimeoutMs?: number
  /** Where it answers; a part without an address is up when it has lived for a while. */
  address?: string
}

const livesMs = 1_500

/** Runs the API or the worker with this very Node, and starts it again when it dies. */
export function startNodePart(options: NodePartOptions): Promise<Part> {
  const { name, address, say } = options
  let startedAt = 0
  return watchPart({
    stopTimeoutMs: 20_000,
    ...options,
    program: process.execPath,
    // Young objects of a request die with it: in more room than Node begins with, almost none is moved.
    arguments: ['--min-semi-space-size=16', options.script],
    cwd: options.root,
    onLine: showLogLine(name, say),
    prepare: async () => {
      startedAt = Date.now()
    },
    probe: async () => {
      if (address) await expectAnswer(`${address}/healthz`)
      else if (Date.now() - startedAt < livesMs) throw new Error('not yet')
    },
    readyTimeoutMs: 60_000,
    stopSignal: 'SIGTERM',
  })
}
