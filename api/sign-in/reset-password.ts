import { checkPasswordLength } from '../../domain/access/password-rules.ts'
import { hashCredential } from '../../domain/access/credentials.ts'
import { passwordTries } from '../../domain/access/try-subjects.ts'
import { AppError } from '../../domain/errors.ts'
import { hashPassword } from '../../gateways/passwords/passwords.ts'
import { auditLog } from '../../store/audit/audit-log.ts'
import { signInTries } from '../../store/platform/sign-in-tries.ts'
import { endAccess } from '../../app/users/end-access.ts'
import { holdPerson } from '../../store/users/hold-person.ts'
import { ownerOfUserToken, userTokens } from '../../store/users/user-tokens.ts'
import { users } from '../../store/users/users.ts'
import type { Deps } from '../deps.ts'
import { assertNewPassword } from './assert-new-password.ts'
import { assertMayUsePassword } from './open-session.ts'
import { inPasswordTurn } from './password-turns.ts'
import { organizationSuspended } from './refusals.ts'
import { actorOfVisitor, type Visitor } from './visitor.ts'

/**
 * Sets a new password by a mailed link, once. It signs nobody in, because a mailbox is no second
 * factor. All sessions and all other open links of the person end.
 */
export async function resetPassword(
  deps: Deps,
  { token, password }: { token: string; password: string },
  visitor: Visitor,
): Promise<void> {
  checkPasswordLength(password)
  const hash = hashCredential(token)
  const owner = await ownerOfUserToken(deps.store.platform, hash, 'password_reset')
  if (!owner) throw spent()
  if (owner.organizationStatus === 'suspended') throw organizationSuspended()
  assertNewPassword(password, owner)

  const { organizationId, userId, email, name } = owner
  const passwordHash = await inPasswordTurn(visitor.ip, async () => hashPassword(password))
  await deps.store.tenant(organizationId, async (tenant) => {
    if (!(await holdPerson(tenant, userId))) throw spent()
    if (!(await userTokens(tenant).use(hash, 'password_reset'))) throw spent()
    await assertMayUsePassword(tenant, owner)
    await users(tenant).setPassword(userId, passwordHash)
    await endAccess(tenant).sessions(userId)
    await endAccess(tenant).mailedLinks(userId)
    await auditLog(tenant, actorOfVisitor(visitor)).record('auth.password_reset', {
      target: { kind: 'user', id: userId, label: email ?? name },
    })
  })
  // Clears the lock, so that an attacker who locked the address does not keep its owner out.
  if (email !== null) await signInTries(deps.store.platform).clear(passwordTries(email))
}

const spent = () =>
  new AppError('invalid', 'This link was used already or is over. Ask for a new one.', {
    code: 'reset_invalid',
  })
