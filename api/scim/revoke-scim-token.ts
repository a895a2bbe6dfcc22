import type { Caller } from '../../domain/access/caller.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { tokens } from '../../store/tokens/tokens.ts'
import { holdPeopleAs } from '../../store/users/hold-people.ts'
import type { Deps } from '../deps.ts'

/** Revokes a SCIM token: it gets 401 from now on. What it provisioned stays. */
export async function revokeScimToken(deps: Deps, caller: Caller, id: number): Promise<void> {
  const { organizationId } = caller
  await deps.store.tenant(organizationId, async (tenant) => {
    await holdPeopleAs(tenant, caller, 'manage_users_sso')
    const { name } = await tokens(tenant).revokeScimToken(id)
    await auditLog(tenant, actorOf(caller)).record('scim.token_revoked', {
      target: { kind: 'scim_token', id, label: name },
    })
  })
}
