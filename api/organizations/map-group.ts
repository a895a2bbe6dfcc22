import type { Caller } from '../../domain/access/caller.ts'
import { assertMayGrant } from '../../domain/access/person-rules.ts'
import { rank, type Role } from '../../domain/access/roles.ts'
import { conflict, invalid } from '../../domain/errors.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { groupMappings, type GroupMapping } from '../../store/groups/group-mappings.ts'
import { recomputeGroupRoles } from '../../store/users/recompute-group-roles.ts'
import { voidUnableApprovals } from '../../app/runs/void-unable-approvals.ts'
import { holdPeopleAs } from '../../store/users/hold-people.ts'
import { saversBehind } from '../../store/savers-behind.ts'
import type { Deps } from '../deps.ts'

const maxMappings = 1_000

/**
 * Sets the role that a group grants. Its members have the role when this returns, and lose what the
 * group granted before. No group grants Owner: an attacker who controls the identity provider
 * would otherwise take over the organization.
 */
export async function mapGroup(
  deps: Deps,
  caller: Caller,
  input: { groupName: string; role: Role },
): Promise<{ created: boolean; mapping: GroupMapping }> {
  const { organizationId } = caller
  const { role } = input
  const groupName = input.groupName.trim().normalize('NFC')
  assertMappable(groupName, role)
  return deps.store.tenant(organizationId, async (tenant) => {
    const acting = await holdPeopleAs(tenant, caller, 'manage_users_sso')
    assertMayGrant(acting, role)
    const mappings = groupMappings(tenant)
    const before = await mappings.findByName(groupName)
    if (before) assertMayGrant(acting, before.role)
    else if ((await mappings.count()) >= maxMappings)
      throw conflict('mapping_limit', `At most ${maxMappings} group mappings.`)
    const { userId } = caller
    const idpSavedBy = await saversBehind(tenant, caller)
    const id = await mappings.upsert({ groupName, role, mappedBy: userId, idpSavedBy })
    const actor = actorOf(caller)
    const by = { userId, idpSavedBy, actor }
    const rolesChanged = await recomputeGroupRoles(tenant, { groupName, by })
    await voidUnableApprovals(tenant, actor)
    await auditLog(tenant, actor).record('org.group_mapped', {
      target: { kind: 'group_mapping', id, label: groupName },
      detail: { role: { from: before?.role ?? null, to: role }, ...rolesChanged },
    })
    return { created: !before, mapping: await mappings.get(id) }
  })
}

function assertMappable(groupName: string, role: Role): void {
  if (groupName === '')
    throw invalid('groupName: is empty', [{ path: 'groupName', message: 'is empty' }])
  if (rank(role) <= rank('Org Admin')) return
  throw invalid(
    `role: a group cannot give ${role}.`,
    [{ path: 'role', message: 'at most Org Admin' }],
    'role_not_mappable',
  )
}
