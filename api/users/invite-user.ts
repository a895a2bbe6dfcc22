import type { Tenant } from '../../store/driver/tenant.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { assertMayGrant, assertMayInvite } from '../../domain/access/person-rules.ts'
import type { Role } from '../../domain/access/roles.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { mails } from '../../store/mails/mails.ts'
import { holdPeopleAs } from '../../store/users/hold-people.ts'
import { personMakers } from '../../store/users/person-makers.ts'
import { users, type User } from '../../store/users/users.ts'
import type { Deps } from '../deps.ts'

/** Creates a person and queues the mail with a link that works once. Nobody grants a role above their own. */
export async function inviteUser(
  deps: Deps,
  caller: Caller,
  person: { email: string; name: string; role: Role },
): Promise<User> {
  const { organizationId } = caller
  return deps.store.tenant(organizationId, async (tenant) => {
    // Again, for whoever was demoted since they asked would leave a person with their old power behind.
    assertMayGrant(await holdPeopleAs(tenant, caller, 'manage_users_sso'), person.role)
    assertMayInvite(caller, person.role)
    const created = await users(tenant).create(person)
    await personMakers(tenant).noteByCaller(created.id, caller, 'invited')
    await queueInvitation(tenant, caller, created.id)
    await auditLog(tenant, actorOf(caller)).record('org.user_invited', {
      target: { kind: 'user', id: created.id, label: person.email },
      detail: { role: person.role },
    })
    return created
  })
}

export async function queueInvitation(
  tenant: Tenant,
  caller: Caller,
  userId: number,
): Promise<void> {
  await mails(tenant).queue('invitation', userId, {
    inviter: caller.name || caller.email || 'A colleague',
  })
}
