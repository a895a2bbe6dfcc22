import { conflict } from '../../domain/errors.ts'
import { refusalOf } from '../../gateways/git/git-refusal.ts'
import { beatWhile } from '../beat-while.ts'

/**
 * Wraps every activity that calls a provider. It sends heartbeats, so that a dead worker is noticed within
 * seconds and its step repeated. A refused token is a final error: it will not be accepted later either.
 */
export async function gitActivity<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await beatWhile(work)
  } catch (error) {
    const refusal = refusalOf(error)
    if (refusal?.code === 'git_token_rejected' || refusal?.code === 'git_forbidden')
      throw conflict(refusal.code, refusal.message)
    throw error
  }
}
