import { setTimeout as sleep } from 'node:timers/promises'
import type { LogFile } from './log-file.ts'
import type { PartOptions } from './part-options.ts'
import { startProcess, type PartProcess } from './start-process.ts'

const spareAgainMs = 60_000

/** The process of a part, and the spare one where there is one. */
export function partProcesses(options: PartOptions, log: LogFile, stopped: AbortSignal) {
  let current: PartProcess | undefined
  let spare: PartProcess | undefined
  let ended: Promise<string> = Promise.resolve('')

  function prepareSpare(): void {
    if (!options.spare || stopped.aborted || spare?.pid !== undefined) return
    let made: PartProcess | undefined
    try {
      made = startProcess(options, log, { spare: true })
    } catch (error) {
      options.say(
        `${options.name}: no spare process: ${error instanceof Error ? error.message : ''}`,
      )
    }
    spare = made
    void Promise.resolve(made?.ended).then(async () => {
      if (spare !== made) return
      await sleep(spareAgainMs, undefined, { signal: stopped }).catch(() => undefined)
      if (spare === made) prepareSpare()
    })
  }

  return {
    pid: () => current?.pid,
    ended: async () => ended,
    hasSpare: () => spare?.isPrepared === true,

    /** Has the spare process begin, or starts one. */
    async launch(): Promise<void> {
      try {
        await options.prepare?.()
        if (stopped.aborted) return
        const prepared = spare?.pid === undefined ? undefined : spare
        spare = undefined
        prepared?.begin()
        current = prepared ?? startProcess(options, log)
        ended = current.ended
      } catch (error) {
        ended = Promise.resolve(error instanceof Error ? error.message : String(error))
        throw error
      }
    },

    /** Starts a spare process, and another a minute after it has ended unused. */
    prepareSpare,

    /** Resolves to `ready`, or to the reason for the failure. */
    untilReady: async () => untilReady(options, { ended, stopped }),

    async end(): Promise<void> {
      await Promise.all([current?.end(), spare?.end()])
    },
    kill(): void {
      current?.kill()
      spare?.kill()
    },
  }
}

async function untilReady(
  { probe, readyTimeoutMs, signal }: PartOptions,
  { ended, stopped }: { ended: Promise<string>; stopped: AbortSignal },
): Promise<string> {
  let over: string | undefined
  void ended.then((why) => (over = why))
  const deadline = Date.now() + readyTimeoutMs
  for (;;) {
    if (stopped.aborted || signal?.aborted) return 'was stopped'
    try {
      await probe()
      if (over === undefined) return 'ready'
    } catch {
      // The part is not ready yet.
    }
    if (over !== undefined) return `ended with ${over}`
    if (Date.now() > deadline) return `gave no answer in ${readyTimeoutMs / 1_000} s`
    await sleep(40)
  }
}
