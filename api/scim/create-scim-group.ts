import { voidUnableApprovals } from '../../app/runs/void-unable-approvals.ts'
import { changesOfNew } from '../../domain/scim/group-changes.ts'
import { readDocument } from '../../domain/scim/read-document.ts'
import { groupSchema } from '../../domain/scim/schemas.ts'
import { groupMembership } from '../../store/scim/group-membership.ts'
import { holdMembership, mappedRole } from '../../store/scim/hold-membership.ts'
import { memberRoles } from '../../store/scim/member-roles.ts'
import { scimGroups, type ScimGroup, type WantedMembers } from '../../store/scim/scim-groups.ts'
import { scimLog } from '../../store/scim/scim-log.ts'
import type { Deps } from '../deps.ts'
import { actorOfToken, type Provisioning } from './scim-request.ts'

/** POST /Groups. If the group's name is mapped already, its members have the role when this returns. */
export async function createScimGroup(
  deps: Deps,
  by: Provisioning,
  { body, wanted }: { body: Record<string, unknown>; wanted: WantedMembers },
): Promise<ScimGroup> {
  const { organizationId } = by
  const { fields, members } = changesOfNew(readDocument(groupSchema, body))
  const ids = [...members.add.keys()]
  return deps.store.tenant(organizationId, async (tenant) => {
    const groups = scimGroups(tenant)
    // Sent together and executed in order; so are the next ones.
    const [, gives, group] = await Promise.all([
      holdMembership(tenant),
      mappedRole(tenant, fields.displayName),
      groups.create(fields),
    ])
    const these = { whom: 'these', ids } as const
    const roles = memberRoles(tenant, by, group.id)
    const [, , fell, , made] = await Promise.all([
      gives && ids.length > 0 && roles.hold(these),
      groupMembership(tenant, group.id).add(members.add),
      gives && ids.length > 0 && roles.give(these),
      scimLog(tenant).recordChange(by, {
        event: 'scim.group_created',
        target: { kind: 'group', id: group.id, publicId: group.publicId, label: group.displayName },
        changes: {
          displayName: { from: null, to: group.displayName },
          ...(fields.externalId !== null && { externalId: { from: null, to: fields.externalId } }),
          ...(ids.length > 0 && { membersAdded: { from: null, to: ids.length } }),
        },
      }),
      ids.length === 0 ? group : groups.get(group.publicId, wanted),
    ])
    if (fell) await voidUnableApprovals(tenant, actorOfToken(by))
    return made
  })
}
