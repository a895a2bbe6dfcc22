import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

export type AfterAnswer = (job: () => Promise<void>) => void

const longestDelayMs = 400

/**
 * Runs work after the answer, because it is done for existing addresses alone and must not show in
 * the answer's time. Starts after a random delay, so that a prober's next request does not always run
 * beside it. A closing server waits for it.
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
