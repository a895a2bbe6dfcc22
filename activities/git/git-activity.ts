import { Context } from '@temporalio/activity'
import { conflict } from '../../domain/errors.ts'
import { refusalOf } from '../../gateways/git/git-refusal.ts'

const beatMs = 3_000

/**
 * What every activity towards a provider has in common. It beats, so that a worker that died is
 * noticed within seconds and its step done anew. And a token that is not taken will not be taken
 * in a minute either: such a refusal is final, not tried for days.
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
