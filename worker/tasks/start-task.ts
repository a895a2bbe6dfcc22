import type { Logger } from 'pino'

export type Task = {
  name: string
  /** From the end of one pass to the begin of the next. */
  everyMs: number
  run: () => Promise<unknown>
}

/** What a pass that asks other hosts takes at most from a worker that stops. */
const stopMs = 2_000

/**
 * Runs a task again and again in this process. Each worker does: what a task writes is a
 * compare-and-swap, so several at one moment settle a thing once. The pauses differ a little, so
 * that workers which were started together do not ask together.
 */
export function startTask(
  { name, everyMs, run }: Task,
  { log }: { log: Logger },
): { stop(): Promise<void> } {
  let stopped = false
  let wake: () => void = () => undefined
  const loop = async () => {
    while (!stopped) {
      await run().catch((error: unknown) => log.warn({ err: error, task: name }, 'a task failed'))
      if (stopped) return
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, everyMs * (0.9 + Math.random() / 5))
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }
  const running = loop()
  return {
    async stop() {
      stopped = true
      wake()
      let timer: NodeJS.Timeout | undefined
      const patience = new Promise<void>((resolve) => (timer = setTimeout(resolve, stopMs)))
      await Promise.race([running, patience])
      clearTimeout(timer)
    },
  }
}
