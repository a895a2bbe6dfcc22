import { Context } from '@temporalio/activity'
import { conflict } from '../../domain/errors.ts'
import { refusalOf } from '../../gateways/git/git-refusal.ts'

const beatMs = 3_000

/**
 * Wraps every activity that calls a provider. It sends heartbeats, so that a dead worker is noticed within
 * seconds and its step repeated. A refused token is a final error: it will not be accepted later either.
 */
export async function gitActivity<T>(work: () => Promise<T>): Promise<T> {
  const context = Context.current()
  const beat = setInterval(() => context.heartbeat(), beatMs)
  try {
    return await work()
  } catch (error) {
    const refusal = refusalOf(error)
    if (refusal?.code === 'git_token_rejected' || refusal?.code === 'git_forbidden')
      throw conflict(refusal.code, refusal.message)
    throw error
  } finally {
    clearInterval(beat)
  }
}
