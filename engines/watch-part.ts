import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openLogFile, type LogFile } from './log-file.ts'
import type { PartOptions } from './part-options.ts'
import { partProcesses } from './part-processes.ts'

export type Part = {
  name: string
  pid(): number | undefined
  restarts(): number
  stop(): Promise<void>
  /** Sends SIGKILL, for throwaway data and for a second Ctrl-C. */
  kill(): void
}

const longestBackoffMs = 10_000
const steadyAfterMs = 30_000

/** Starts a process, waits until it answers, and restarts it with backoff whenever it ends, until `stop`. */
export async function watchPart(options: PartOptions): Promise<Part> {
  const { name, say } = options
  const log = openLogFile(join(options.dataDir, 'logs', `${name}.log`), options.onLine)
  const stopper = new AbortController()
  const processes = partProcesses(options, log, stopper.signal)
  let restarts = 0

  const watch = async (): Promise<void> => {
    let backoffMs = 100
    while (!stopper.signal.aborted) {
      const since = Date.now()
      const why = await processes.ended()
      if (stopper.signal.aborted) return
      const wasSteady = Date.now() - since > steadyAfterMs
      if (wasSteady) backoffMs = 100
      say(`${name}: ended with ${why}, starting it again`)
      if (!wasSteady || !processes.hasSpare()) {
        await sleep(backoffMs, undefined, { signal: stopper.signal }).catch(() => undefined)
        backoffMs = Math.min(longestBackoffMs, backoffMs * 2)
      }
      restarts += 1
      await processes.launch().catch(() => undefined)
      const state = await processes.untilReady()
      if (stopper.signal.aborted) return
      if (state === 'ready') {
        say(`${name}: up again`)
        processes.prepareSpare()
      } else if (processes.pid()) {
        say(`${name}: ${state}`)
        await processes.end()
      }
    }
  }

  await firstStart(options, { processes, log })
  processes.prepareSpare()
  const watching = watch()

  return {
    name,
    pid: processes.pid,
    restarts: () => restarts,
    async stop() {
      stopper.abort()
      await processes.end()
      await watching
      // Ends a process that was launched during the stop.
      await processes.end()
      await log.close()
    },
    kill() {
      stopper.abort()
      processes.kill()
    },
  }
}

async function firstStart(
  { name, firstAttempts = 3, signal }: PartOptions,
  { processes, log }: { processes: ReturnType<typeof partProcesses>; log: LogFile },
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    await processes.launch()
    const state = await processes.untilReady()
    if (state === 'ready') return
    await processes.end()
    if (attempt >= firstAttempts || signal?.aborted) {
      await log.close()
      throw new Error(`${name} does not come up: it ${state}\n${log.tail()}`)
    }
    await sleep(300 * attempt)
  }
}
