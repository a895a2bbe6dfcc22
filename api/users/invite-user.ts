import type { Caller } from '../../domain/access/caller.ts'
import { newSecret } from '../../domain/access/credentials.ts'
import { assertMayGrant } from '../../domain/access/person-rules.ts'
import type { Role } from '../../domain/access/roles.ts'
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
  const base = deps.config.baseUrl ?? deps.config.apiUrl
  await deps.mail.send({
    to: person.email,
    subject: `You are invited to ${caller.organizationName} on cloud-control`,
    text: [
      `${caller.name || caller.email || 'A colleague'} invites you to ${caller.organizationName}.`,
      '',
      'Choose your password within 7 days:',
      // Behind the `#`, which no server, proxy log or referrer gets to see.
      `${base}/invitations/accept#${link.plain}`,
      '',
      'The link works once. If you did not expect this mail, do nothing.',
      '',
    ].join('\n'),
  })
  return user
}
