import { AppError } from '../errors.ts'
import type { Caller } from './caller.ts'

/**
 * Refuses a change of credentials in a session of an identity provider. An attacker who controls the
 * provider can sign in as anybody it names. With a password, second factor or token of their own they
 * would keep the account after the provider is removed, and lock out its owner.
 */
export function assertCredentialsUnlocked({
  credentialsLocked,
}: Pick<Caller, 'credentialsLocked'>): void {
  if (!credentialsLocked) return
  throw new AppError(
    'forbidden',
    'You signed in by single sign-on. Sign in with your password to change how your account is opened.',
    { code: 'password_session_required' },
  )
}
