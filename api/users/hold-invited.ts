import type { Caller } from '../../domain/access/caller.ts'
import { assertMayChange } from '../../domain/access/person-rules.ts'
import { conflict } from '../../domain/errors.ts'
import { endAccess } from '../../app/users/end-access.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { holdPeopleAs } from '../../store/users/hold-people.ts'
import { personMakers } from '../../store/users/person-makers.ts'
import { users, type User } from '../../store/users/users.ts'

/**
 * A person who is invited and never came in, held until the transaction ends. Their earlier links
 * stop working: they may be in a mailbox that others read. Whoever invites again counts as having
 * made the person.
 */
export async function holdInvited(tenant: Tenant, caller: Caller, id: number): Promise<User> {
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
  await personMakers(tenant).noteByCaller(id, caller, 'invited')
  return person
}
