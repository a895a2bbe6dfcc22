import { checkPassword } from '../../domain/access/password-rules.ts'
import { hashCredential } from '../../domain/access/credentials.ts'
import { AppError } from '../../domain/errors.ts'
import { hashPassword } from '../../gateways/passwords/passwords.ts'
import { organizationOfUserToken, userTokens } from '../../store/users/user-tokens.ts'
import { users } from '../../store/users/users.ts'
import type { Deps } from '../deps.ts'
import { openSession, type NewSignIn, type Visitor } from './log-in.ts'

/** Turns an invitation into a person with a password, and signs them in (decisions §2). The link works once. */
export async function acceptInvitation(
  deps: Deps,
  input: { token: string; name?: string; password: string },
  visitor: Visitor,
): Promise<NewSignIn> {
  checkPassword(input.password)
  const hash = hashCredential(input.token)
  const organizationId = await organizationOfUserToken(deps.store.platform, hash)
  if (organizationId === undefined) throw spent()

  // Before the transaction: nothing slow happens inside one.
  const passwordHash = await hashPassword(input.password)
  const userId = await deps.store.tenant(organizationId, async (db) => {
    const id = await userTokens(db, organizationId).use(hash, 'invitation')
    if (id === undefined) throw spent()
    await users(db, organizationId).setPassword(id, passwordHash, input.name)
    return id
  })
  return openSession(deps, { userId, organizationId }, visitor)
}

const spent = () =>
  new AppError('invalid', 'This invitation was used already or is over. Ask for a new one.', {
    code: 'invitation_invalid',
  })
