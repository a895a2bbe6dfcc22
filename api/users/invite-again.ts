import type { Caller } from '../../domain/access/caller.ts'
import { assertMayChange } from '../../domain/access/person-rules.ts'
import { conflict } from '../../domain/errors.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { endAccess } from '../../app/users/end-access.ts'
import { holdPeopleAs } from '../../store/users/hold-people.ts'
import { personMakers } from '../../store/users/person-makers.ts'
import { users, type User } from '../../store/users/users.ts'
import type { Deps } from '../deps.ts'
import { queueInvitation } from './invite-user.ts'

/**
 * Mails a new link to a person whose invitation was lost or expired. Earlier links stop working: they
 * may be in a mailbox that others read.
 */
export async function inviteAgain(deps: Deps, caller: Caller, id: number): Promise<User> {
  const { organizationId } = caller
  return deps.store.tenant(organizationId, async (tenant) => {
    const acting = await holdPeopleAs(tenant, caller, 'manage_users_sso')
    const person = await users(tenant).get(id)
    assertMayChange(acting, person)
    if (!person.active) throw conflict('user_inactive', 'This person is deactivated.')
    if (!person.invited)
      throw conflict(
        'invitation_accepted',
        'This person has come in already. Who forgot a password sets a new one from the sign-in page.',
      )
    await endAccess(tenant).mailedLinks(id)
    await queueInvitation(tenant, caller, id)
    await personMakers(tenant).note(id, [caller.userId], 'invited')
    await auditLog(tenant, actorOf(caller)).record('org.user_invited', {
      target: { kind: 'user', id, label: person.email ?? person.name },
      detail: { role: person.role, again: true },
    })
    return person
  })
}
