import { unavailable } from '../../domain/errors.ts'
import { GitRefusal, refusalOf } from './git-refusal.ts'

/**
 * The first request to a host. An answer that the provider does not document means another server: a
 * sign-in page that answers 200 to everything, or one without this path. It must not count as a token that
 * was accepted.
 */
export async function proveToken(
  provider: string,
  ask: () => Promise<unknown>,
  field: 'id' | 'values',
): Promise<void> {
  const stranger = (cause: unknown) =>
    unavailable('git_provider_unavailable', `The host does not answer as ${provider} does.`, cause)
  try {
    const answer = await ask()
    if (!hasField(answer, field)) throw stranger(undefined)
  } catch (error) {
    const refusal = refusalOf(error)
    if (refusal instanceof GitRefusal && refusal.fault === 'conflict') throw stranger(error)
    throw error
  }
}

const hasField = (answer: unknown, field: string): boolean =>
  typeof answer === 'object' && answer !== null && Object.hasOwn(answer, field)
