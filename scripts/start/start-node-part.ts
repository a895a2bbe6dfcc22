import { join } from 'node:path'
import { expectAnswer } from '../../engines/expect-answer.ts'
import type { Leash } from '../../engines/leash.ts'
import { watchPart, type Part } from '../../engines/watch-part.ts'
import { nodeFlags } from './node-flags.ts'
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
  /** Must be longer than the part's own grace period. Default 20 s. */
  stopTimeoutMs?: number
  /** The address of its health check. Without one the part is up after 1.5 s without an exit. */
  address?: string
}

const livesMs = 1_500

/** Runs the API or the worker with the supervisor's own Node, and restarts it when it ends. */
export function startNodePart(options: NodePartOptions): Promise<Part> {
  const { name, address, say } = options
  let startedAt = 0
  return watchPart({
    stopTimeoutMs: 20_000,
    ...options,
    // Compiled code of the last start: a part that was killed answers again in half of the time.
    env: { ...options.env, NODE_COMPILE_CACHE: join(options.dataDir, 'cache', 'code') },
    answers: name === 'api',
    spare: name === 'api',
    program: process.execPath,
    arguments: [...nodeFlags[name], options.script],
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
