import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

export type AfterAnswer = (job: () => Promise<void>) => void

const longestDelayMs = 400

/**
 * Work that an answer must not show in its time, because it is done for an address that
 * exists alone. It begins a random moment later, so that the next request, which may be
 * the same prober's, does not run beside it every time. A server that closes waits for it.
 */
export function afterAnswer(app: FastifyInstance): AfterAnswer {
  const running = new Set<Promise<void>>()
  app.addHook('onClose', async () => {
    await Promise.all(running)
  })
  return (job) => {
    const delayMs = Math.random() * longestDelayMs
    const run: Promise<void> = pause(delayMs)
      .then(job)
      .catch((error: unknown) => app.log.error({ err: error }, 'work after an answer failed'))
      .finally(() => running.delete(run))
    running.add(run)
  }
}
