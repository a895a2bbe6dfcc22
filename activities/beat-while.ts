import { Context } from '@temporalio/activity'

const beatMs = 3_000

/** Sends heartbeats while `work` is under way, so that a dead worker is noticed within seconds and not after the hour. */
export async function beatWhile<T>(work: () => Promise<T>): Promise<T> {
  const context = Context.current()
  const beat = setInterval(() => context.heartbeat(), beatMs)
  try {
    return await work()
  } finally {
    clearInterval(beat)
  }
}
