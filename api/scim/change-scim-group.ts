import type { Tenant } from '../../store/driver/tenant.ts'
import { changesOfNew, changesOfPatch, type GroupChanges } from '../../domain/scim/group-changes.ts'
import { patchOperations } from '../../domain/scim/patch-operations.ts'
import { readDocument } from '../../domain/scim/read-document.ts'
import { groupSchema } from '../../domain/scim/schemas.ts'
import { voidUnableApprovals } from '../../app/runs/void-unable-approvals.ts'
import { groupMembership } from '../../store/scim/group-membership.ts'
import { holdMembership, mappedRole } from '../../store/scim/hold-membership.ts'
import { memberRoles } from '../../store/scim/member-roles.ts'
import {
  scimGroups,
  type HeldGroup,
  type ScimGroup,
  type WantedMembers,
} from '../../store/scim/scim-groups.ts'
import { scimLog, type Changes } from '../../store/scim/scim-log.ts'
import type { Deps } from '../deps.ts'
import { actorOfToken, type Provisioning } from './scim-request.ts'
import { assertVersion } from './version-tag.ts'

type Change = { publicId: string; body: Record<string, unknown>; wanted: WantedMembers }

/** RFC 7644 3.5.2. Writes the difference alone, never all members. */
export const patchScimGroup = async (deps: Deps, by: Provisioning, change: Change) =>
  changeScimGroup(deps, by, {
    ...change,
    changesOf: (before) => changesOfPatch(before, patchOperations(change.body), before.publicId),
  })

/** RFC 7644 3.5.1: a body without members removes them all. */
export const putScimGroup = async (deps: Deps, by: Provisioning, change: Change) =>
  changeScimGroup(deps, by, {
    ...change,
    changesOf: () => changesOfNew(readDocument(groupSchema, change.body)),
  })

async function changeScimGroup(
  deps: Deps,
  by: Provisioning,
  {
    publicId,
    wanted,
    changesOf,
  }: { publicId: string; wanted: WantedMembers; changesOf: (before: ScimGroup) => GroupChanges },
): Promise<ScimGroup> {
  const { organizationId } = by
  return deps.store.tenant(organizationId, async (tenant) => {
    const groups = scimGroups(tenant)
    // Sent together and executed in order; so are the last ones.
    const [, before] = await Promise.all([holdMembership(tenant), groups.getForUpdate(publicId)])
    assertVersion(by.ifMatch, before.version)
    const { fields, members } = changesOf(before)
    const changes = fieldChanges(before, fields)
    const fieldsChanged = Object.keys(changes).length > 0
    if (fieldsChanged) await groups.update(before.id, fields)
    const { added, removed } = await changeMembers(tenant, by, { before, fields, members })
    if (added > 0) changes['membersAdded'] = { from: null, to: added }
    if (removed > 0) changes['membersRemoved'] = { from: null, to: removed }
    if (Object.keys(changes).length === 0) return groups.get(publicId, wanted)
    const [, , after] = await Promise.all([
      fieldsChanged ? undefined : groups.touch(before.id),
      scimLog(tenant).recordChange(by, {
        event: 'scim.group_updated',
        target: { kind: 'group', id: before.id, publicId, label: fields.displayName },
        changes,
      }),
      groups.get(publicId, wanted),
    ])
    return after
  })
}

/** Changes the members, and their roles with them, up and down. */
async function changeMembers(
  tenant: Tenant,
  by: Provisioning,
  { before, fields, members }: GroupChanges & { before: HeldGroup },
): Promise<{ added: number; removed: number }> {
  const { id: groupId, role: gave } = before
  const renamed = fields.displayName !== before.displayName
  const gives = renamed ? await mappedRole(tenant, fields.displayName) : gave
  const membership = groupMembership(tenant, groupId)
  const roles = memberRoles(tenant, by, groupId)
  const { replaced, add } = members
  const [ids, gone] = [[...add.keys()], [...members.remove]]
  const remove = async () => (replaced ? membership.removeAllBut(ids) : membership.remove(gone))
  if (!gave && !gives) {
    const [removed, added] = await Promise.all([remove(), membership.add(add)])
    return { added, removed }
  }
  const named = [...ids, ...gone]
  // Sent together and executed in order.
  const [, lost, removed, added, fell] = await Promise.all([
    roles.hold({ whom: renamed || replaced ? 'everybody' : 'these', ids: named }),
    replaced && roles.give({ whom: 'others', ids }, { notCounting: true }),
    remove(),
    membership.add(add),
    roles.give({ whom: renamed ? 'everybody' : 'these', ids: named }),
  ])
  if (lost || fell) await voidUnableApprovals(tenant, actorOfToken(by))
  return { added, removed }
}

function fieldChanges(before: ScimGroup, fields: GroupChanges['fields']): Changes {
  return Object.fromEntries(
    (['displayName', 'externalId'] as const)
      .filter((field) => before[field] !== fields[field])
      .map((field) => [field, { from: before[field], to: fields[field] }]),
  )
}
