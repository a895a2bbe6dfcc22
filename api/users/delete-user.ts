import type { Caller } from '../../domain/access/caller.ts'
import { assertMayChange, assertMayChangeBy } from '../../domain/access/person-rules.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { voidUnableApprovals } from '../../app/runs/void-unable-approvals.ts'
import { endAccess } from '../../app/users/end-access.ts'
import { assertAnotherOwner, holdPeopleAs } from '../../store/users/hold-people.ts'
import { users } from '../../store/users/users.ts'
import type { Deps } from '../deps.ts'

/** Removes a person from the organization; all their credentials end in the same transaction. */
export async function deleteUser(deps: Deps, caller: Caller, id: number): Promise<void> {
  const { organizationId } = caller
  await deps.store.tenant(organizationId, async (tenant) => {
    const acting = await holdPeopleAs(tenant, caller, 'manage_users_sso')
    const person = await users(tenant).get(id)
    assertMayChange(acting, person)
    assertMayChangeBy(caller, { active: false })
    if (person.role === 'Owner' && person.active) await assertAnotherOwner(tenant, id)

    await users(tenant).deprovision(id)
    const access = endAccess(tenant)
    await access.sessions(id)
    const tokensEnded = await access.apiTokens(id)
    await access.mailedLinks(id)
    await access.invitationsBy(id)
    await voidUnableApprovals(tenant, actorOf(caller))
    await auditLog(tenant, actorOf(caller)).record('org.user_deleted', {
      target: { kind: 'user', id, label: person.email ?? person.name },
      detail: { role: person.role, tokensEnded },
    })
  })
}
