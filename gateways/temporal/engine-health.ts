import type { Connection } from '@temporalio/client'
import { unavailable } from '../../domain/errors.ts'

export type EngineHealth = {
  /** Throws 503 `engine_unavailable`: what the engine cannot be told of is not begun (runs.md, Transitions). */
  assertReachable(): Promise<void>
}

const timeoutMs = 1_500
const trustedForMs = 1_000

/** Asks the engine at most once a second, however many runs are started in it. */
export function createEngineHealth(connection: Connection): EngineHealth {
  let asked: Promise<void> | undefined
  let goodUntil = 0

  const ask = async () => {
    try {
      await connection.withDeadline(Date.now() + timeoutMs, async () =>
        connection.workflowService.getSystemInfo({}),
      )
      goodUntil = Date.now() + trustedForMs
    } catch (error) {
      throw unavailable(
        'engine_unavailable',
        'The workflow engine cannot be reached, so nothing was started. Try again in a moment.',
        error,
      )
    } finally {
      asked = undefined
    }
  }

  return {
    async assertReachable() {
      if (Date.now() < goodUntil) return
      asked ??= ask()
      await asked
    },
  }
}
