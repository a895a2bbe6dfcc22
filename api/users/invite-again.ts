import type { Caller } from '../../domain/access/caller.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import type { User } from '../../store/users/users.ts'
import type { Deps } from '../deps.ts'
import { holdInvited } from './hold-invited.ts'
import { queueInvitation } from './invite-user.ts'

/** Mails a new link to a person whose invitation was lost or expired. */
export async function inviteAgain(deps: Deps, caller: Caller, id: number): Promise<User> {
  const { organizationId } = caller
  return deps.store.tenant(organizationId, async (tenant) => {
    const person = await holdInvited(tenant, caller, id)
    await queueInvitation(tenant, caller, id)
    await auditLog(tenant, actorOf(caller)).record('org.user_invited', {
      target: { kind: 'user', id, label: person.email ?? person.name },
      detail: { role: person.role, again: true },
    })
    return person
  })
}
