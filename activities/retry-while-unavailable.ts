import { AppError } from '../domain/errors.ts'

const pauseMs = 500

/** Retries work while the database is unavailable, by default for as long as a restart takes. */
export async function retryWhileUnavailable<T>(
  work: () => Promise<T>,
  patienceMs = 60_000,
): Promise<T> {
  const deadline = Date.now() + patienceMs
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const away = error instanceof AppError && error.fault === 'unavailable'
      if (!away || Date.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }
}
