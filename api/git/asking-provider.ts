import { unavailable } from '../../domain/errors.ts'
import { GitRefusal, refusalOf } from '../../gateways/git/git-refusal.ts'

/**
 * While a caller waits, a provider's own refusal is answered as 503 with the provider's reason.
 * A 409 would say that something in this service conflicts.
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
