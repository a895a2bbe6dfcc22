import type { Caller } from '../../domain/access/caller.ts'
import { assertMayChange } from '../../domain/access/person-rules.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { voidUnableApprovals } from '../../store/pipelines/void-unable-approvals.ts'
import { endAccess } from '../../store/users/end-access.ts'
import { assertAnotherOwner, holdPeopleAs } from '../../store/users/hold-people.ts'
import { users } from '../../store/users/users.ts'
import type { Deps } from '../deps.ts'

/** Removes a person from the organization; all their credentials end in the same transaction. */
export async function deleteUser(deps: Deps, caller: Caller, id: number): Promise<void> {
  const { organizationId } = caller
  await deps.store.tenant(organizationId, async (db) => {
    const acting = await holdPeopleAs(db, caller, 'manage_users_sso')
    const person = await users(db, organizationId).get(id)
    assertMayChange(acting, person)
    if (person.role === 'Owner' && person.active) await assertAnotherOwner(db, organizationId, id)

    await users(db, organizationId).deprovision(id)
    const access = endAccess(db, organizationId)
    await access.sessions(id)
    const tokensEnded = await access.apiTokens(id)
    await access.mailedLinks(id)
    await voidUnableApprovals(db, organizationId, actorOf(caller))
    await auditLog(db, organizationId, actorOf(caller)).record('org.user_deleted', {
      target: { kind: 'user', id, label: person.email ?? person.name },
      detail: { role: person.role, tokensEnded },
    })
  })
}
