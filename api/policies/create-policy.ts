import type { Caller } from '../../domain/access/caller.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { noteGuardChange } from '../../app/policies/note-guard-change.ts'
import { assertRoom } from '../../store/policies/assert-room.ts'
import { policies, type Policy } from '../../store/policies/policies.ts'
import type { Deps } from '../deps.ts'
import { assertCompiles } from './assert-compiles.ts'
import { assertOwnWorkspaces } from './assert-own-workspaces.ts'
import type { NewPolicyBody } from './schemas.ts'

/** Adds a policy, compiled before it is stored. It applies at once, also to runs that wait. */
export async function createPolicy(
  deps: Deps,
  caller: Caller,
  input: NewPolicyBody,
): Promise<Policy> {
  const { organizationId } = caller
  await assertCompiles(deps.policies, { organizationId, rego: input.rego })
  return deps.store.tenant(organizationId, async (tenant) => {
    await assertOwnWorkspaces(tenant, { wanted: input.workspaces })
    const policy = await policies(tenant).create(input)
    await assertRoom(tenant)
    await noteGuardChange(tenant, caller, { what: 'policy', guarded: [policy.workspaces] })
    await auditLog(tenant, actorOf(caller)).record('policy.created', {
      target: { kind: 'policy', id: policy.id, label: policy.name },
      detail: {
        version: policy.version,
        enforcement: policy.enforcement,
        workspaces: policy.workspaces,
      },
    })
    return policy
  })
}
