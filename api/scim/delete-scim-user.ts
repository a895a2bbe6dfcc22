import { voidUnableApprovals } from '../../app/runs/void-unable-approvals.ts'
import { scimLog } from '../../store/scim/scim-log.ts'
import { scimUsers } from '../../store/scim/scim-users.ts'
import { endAccess } from '../../app/users/end-access.ts'
import { assertAnotherOwner, holdPeople } from '../../store/users/hold-people.ts'
import { users } from '../../store/users/users.ts'
import type { Deps } from '../deps.ts'
import { actorOfToken, type Provisioning } from './scim-request.ts'
import { targetOf } from './user-difference.ts'
import { assertVersion } from './version-tag.ts'

/** Deprovisions a person: the row stays for the audit log, its names become free, its credentials end. */
export async function deleteScimUser(
  deps: Deps,
  by: Provisioning,
  publicId: string,
): Promise<void> {
  const { organizationId } = by
  await deps.store.tenant(organizationId, async (tenant) => {
    await holdPeople(tenant)
    const person = await scimUsers(tenant).getForUpdate(publicId)
    assertVersion(by.ifMatch, person.version)
    if (person.role === 'Owner' && person.active) await assertAnotherOwner(tenant, person.id)
    await users(tenant).deprovision(person.id)
    const access = endAccess(tenant)
    await access.sessions(person.id)
    const tokensEnded = await access.apiTokens(person.id)
    await access.mailedLinks(person.id)
    await access.invitationsBy(person.id)
    await voidUnableApprovals(tenant, actorOfToken(by))
    await scimLog(tenant).recordChange(by, {
      event: 'scim.user_deleted',
      target: targetOf(person),
      changes: {
        role: { from: person.role, to: null },
        ...(tokensEnded > 0 && { apiTokens: { from: tokensEnded, to: 0 } }),
      },
    })
  })
}
