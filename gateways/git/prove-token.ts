import { unavailable } from '../../domain/errors.ts'
import { GitRefusal, refusalOf } from './git-refusal.ts'
import { asked } from './head-moved.ts'

/**
 * The first question to a host. Who answers it with anything but what the provider documents is
 * no such provider: a sign-in page that says 200 to everything, or a server that knows no such
 * path. It must not pass for one that has taken the token.
 */
export async function proveToken(
  provider: string,
  ask: () => Promise<unknown>,
  field: 'id' | 'values',
): Promise<void> {
  const stranger = (cause: unknown) =>
    unavailable('git_provider_unavailable', `The host does not answer as ${provider} does.`, cause)
  try {
    const answer = await asked(provider, ask)
    if (!hasField(answer, field)) throw stranger(undefined)
  } catch (error) {
    const refusal = refusalOf(error)
    if (refusal instanceof GitRefusal && refusal.fault === 'conflict') throw stranger(error)
    throw error
  }
}

const hasField = (answer: unknown, field: string): boolean =>
  typeof answer === 'object' && answer !== null && Object.hasOwn(answer, field)
