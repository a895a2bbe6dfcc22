import { AppError } from '../errors.ts'
import type { Caller } from './caller.ts'

/**
 * Whoever controls an identity provider signs in as anybody it names. A session of one that
 * could set a password, a second factor or a token would keep the account after the provider
 * is taken away, and lock its owner out.
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
