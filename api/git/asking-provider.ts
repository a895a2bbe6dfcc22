import { unavailable } from '../../domain/errors.ts'
import { GitRefusal, refusalOf } from '../../gateways/git/git-refusal.ts'

/**
 * What a provider refuses in its own way while a caller waits for its answer is told as 503 with
 * its reason (§4.6). A 409 would say that something here is in the way.
 */
export async function askingProvider<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const refusal = refusalOf(error)
    if (refusal instanceof GitRefusal && refusal.fault === 'conflict')
      throw unavailable(refusal.code, refusal.message, error)
    throw error
  }
}
