import { voidUnableApprovals } from '../../app/runs/void-unable-approvals.ts'
import { holdMembership } from '../../store/scim/hold-membership.ts'
import { memberRoles } from '../../store/scim/member-roles.ts'
import { scimGroups } from '../../store/scim/scim-groups.ts'
import { scimLog } from '../../store/scim/scim-log.ts'
import type { Deps } from '../deps.ts'
import { actorOfToken, type Provisioning } from './scim-request.ts'
import { assertVersion } from './version-tag.ts'

/** Deletes a group. Its members keep what their other groups grant; a mapping of its name stays. */
export async function deleteScimGroup(
  deps: Deps,
  by: Provisioning,
  publicId: string,
): Promise<void> {
  const { organizationId } = by
  await deps.store.tenant(organizationId, async (tenant) => {
    await holdMembership(tenant)
    const groups = scimGroups(tenant)
    const group = await groups.getForUpdate(publicId)
    assertVersion(by.ifMatch, group.version)
    let fell = false
    if (group.role) {
      const everybody = { whom: 'everybody', ids: [] } as const
      const roles = memberRoles(tenant, by, group.id)
      // Sent together and executed in order.
      ;[, fell] = await Promise.all([
        roles.hold(everybody),
        roles.give(everybody, { notCounting: true }),
      ])
    }
    await groups.delete(group.id)
    if (fell) await voidUnableApprovals(tenant, actorOfToken(by))
    await scimLog(tenant).recordChange(by, {
      event: 'scim.group_deleted',
      target: { kind: 'group', id: group.id, publicId, label: group.displayName },
      changes: { displayName: { from: group.displayName, to: null } },
    })
  })
}
