import { checkPasswordLength } from '../../domain/access/password-rules.ts'
import { hashCredential } from '../../domain/access/credentials.ts'
import { hashPassword } from '../../gateways/passwords/passwords.ts'
import { auditLog } from '../../store/audit/audit-log.ts'
import { endAccess } from '../../app/users/end-access.ts'
import { holdPerson } from '../../store/users/hold-person.ts'
import { secondFactors } from '../../store/users/second-factors.ts'
import { ownerOfUserToken, userTokens } from '../../store/users/user-tokens.ts'
import { users } from '../../store/users/users.ts'
import type { Deps } from '../deps.ts'
import { assertNewPassword } from './assert-new-password.ts'
import { assertMayUsePassword, insertSession, readSignIn, type NewSignIn } from './open-session.ts'
import { inPasswordTurn } from './password-turns.ts'
import { invitationInvalid, organizationSuspended } from './refusals.ts'
import { actorOfVisitor, type Visitor } from './visitor.ts'

type Acceptance = { token: string; name?: string; password: string }

/** Accepts an invitation: sets the password and signs the person in. The link works once. */
export async function acceptInvitation(
  deps: Deps,
  { token, name, password }: Acceptance,
  visitor: Visitor,
): Promise<NewSignIn> {
  checkPasswordLength(password)
  const hash = hashCredential(token)
  const owner = await ownerOfUserToken(deps.store.platform, hash, 'invitation')
  if (!owner) throw invitationInvalid()
  if (owner.organizationStatus === 'suspended') throw organizationSuspended()
  assertNewPassword(password, { ...owner, name: name ?? owner.name })

  const { organizationId, userId } = owner
  // Hashing is slow, so it is done before the transaction.
  const passwordHash = await inPasswordTurn(visitor.ip, async () => hashPassword(password))
  const cookie = await deps.store.tenant(organizationId, async (tenant) => {
    if (!(await holdPerson(tenant, userId))) throw invitationInvalid()
    if (!(await userTokens(tenant).use(hash, 'invitation'))) throw invitationInvalid()
    await assertMayUsePassword(tenant, owner)
    await users(tenant).setPassword(userId, passwordHash, name)
    const access = endAccess(tenant)
    await access.mailedLinks(userId)
    // What is from before the first password was made in a session of an identity provider: an attacker who
    // controls that could lock out the person who accepts, or keep a token of theirs.
    await secondFactors(tenant).remove(userId)
    await access.sessions(userId)
    await access.apiTokens(userId)
    await auditLog(tenant, actorOfVisitor(visitor)).record('auth.invitation_accepted', {
      target: { kind: 'user', id: userId, label: owner.email ?? owner.name },
      detail:
        name === undefined || name === owner.name ? {} : { name: { from: owner.name, to: name } },
    })
    return insertSession(tenant, owner, visitor)
  })
  return readSignIn(deps, { cookie, hash: hashCredential(cookie) }, visitor)
}
