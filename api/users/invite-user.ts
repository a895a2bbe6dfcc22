import type { Caller } from '../../domain/access/caller.ts'
import { newSecret } from '../../domain/access/credentials.ts'
import { assertMayGrant } from '../../domain/access/person-rules.ts'
import type { Role } from '../../domain/access/roles.ts'
import { invitationLetter } from '../../gateways/mail/letters/invitation.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { userTokens } from '../../store/users/user-tokens.ts'
import { users, type User } from '../../store/users/users.ts'
import type { Deps } from '../deps.ts'

export const invitationHours = 7 * 24

/** Makes a person and mails them a link that works once (decisions §2). Nobody grants a role above their own. */
export async function inviteUser(
  deps: Deps,
  caller: Caller,
  person: { email: string; name: string; role: Role },
): Promise<User> {
  assertMayGrant(caller, person.role)
  const { organizationId } = caller
  const link = newSecret()
  const user = await deps.store.tenant(organizationId, async (db) => {
    const created = await users(db, organizationId).create(person)
    await userTokens(db, organizationId).create(created.id, 'invitation', {
      hash: link.hash,
      hours: invitationHours,
    })
    await auditLog(db, organizationId, actorOf(caller)).record('org.user_invited', {
      target: { kind: 'user', id: created.id, label: person.email },
      detail: { role: person.role },
    })
    return created
  })
  const letter = invitationLetter({
    baseUrl: deps.config.baseUrl ?? deps.config.apiUrl,
    organizationName: caller.organizationName,
    inviter: caller.name || caller.email || 'A colleague',
    token: link.plain,
  })
  await deps.mail.send({ to: person.email, ...letter })
  return user
}
