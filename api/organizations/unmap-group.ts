import type { Caller } from '../../domain/access/caller.ts'
import { assertMayGrant } from '../../domain/access/person-rules.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { groupMappings } from '../../store/groups/group-mappings.ts'
import { recomputeGroupRoles } from '../../store/users/recompute-group-roles.ts'
import { voidUnableApprovals } from '../../app/runs/void-unable-approvals.ts'
import { holdPeopleAs } from '../../store/users/hold-people.ts'
import { saversBehind } from '../../store/savers-behind.ts'
import type { Deps } from '../deps.ts'

/** Removes a group's role. When this returns, its members have what their other sources grant. */
export async function unmapGroup(deps: Deps, caller: Caller, id: number): Promise<void> {
  const { organizationId } = caller
  await deps.store.tenant(organizationId, async (tenant) => {
    const acting = await holdPeopleAs(tenant, caller, 'manage_users_sso')
    const mappings = groupMappings(tenant)
    const { groupName, role } = await mappings.get(id)
    assertMayGrant(acting, role)
    await mappings.delete(id)
    const { userId } = caller
    const actor = actorOf(caller)
    const by = { userId, idpSavedBy: await saversBehind(tenant, caller), actor }
    const rolesChanged = await recomputeGroupRoles(tenant, { groupName, by })
    await voidUnableApprovals(tenant, actor)
    await auditLog(tenant, actor).record('org.group_unmapped', {
      target: { kind: 'group_mapping', id, label: groupName },
      detail: { role: { from: role, to: null }, ...rolesChanged },
    })
  })
}
