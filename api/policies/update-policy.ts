import { isDeepStrictEqual } from 'node:util'
import type { Caller } from '../../domain/access/caller.ts'
import { AppError } from '../../domain/errors.ts'
import {
  meetsPrecondition,
  type VersionPrecondition,
} from '../../domain/workspaces/version-precondition.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { noteGuardChange } from '../../app/policies/note-guard-change.ts'
import { assertRoom } from '../../store/policies/assert-room.ts'
import { policies, type NewPolicy, type Policy } from '../../store/policies/policies.ts'
import type { Deps } from '../deps.ts'
import { assertCompiles } from './assert-compiles.ts'
import { assertOwnWorkspaces } from './assert-own-workspaces.ts'
import type { PolicyChangeBody } from './schemas.ts'

type Update = { id: number; change: PolicyChangeBody; precondition?: VersionPrecondition }

/** Changes a policy, and voids waiting approvals wherever it judged before or judges now. */
export async function updatePolicy(
  deps: Deps,
  caller: Caller,
  { id, change, precondition = {} }: Update,
): Promise<Policy> {
  const { organizationId } = caller
  if (change.rego !== undefined) {
    // A missing policy is refused before the faults of the body.
    const { rego } = await deps.store.tenant(organizationId, async (tenant) =>
      policies(tenant).get(id),
    )
    if (change.rego !== rego)
      await assertCompiles(deps.policies, { organizationId, rego: change.rego })
  }
  return deps.store.tenant(organizationId, async (tenant) => {
    const before = await policies(tenant).getForUpdate(id)
    const columns = changedColumns(before, change)
    if (Object.keys(columns).length === 0) return before
    // After the line above, so that a change whose answer was lost can be repeated (RFC 9110, 13.1.1).
    if (!meetsPrecondition(before.version, precondition))
      throw new AppError(
        'precondition_failed',
        'Another version of the policy was saved meanwhile: read it, and save again on top of it.',
        { code: 'policy_overtaken' },
      )
    if (columns.workspaces)
      await assertOwnWorkspaces(tenant, {
        wanted: columns.workspaces,
        had: before.workspaces,
      })
    const after = await policies(tenant).update(id, columns)
    if (columns.rego !== undefined) await assertRoom(tenant)
    // A new name changes no judgement.
    if (Object.keys(columns).some((field) => field !== 'name'))
      await noteGuardChange(tenant, caller, {
        what: 'policy',
        guarded: [before.workspaces, after.workspaces],
      })
    await auditLog(tenant, actorOf(caller)).record('policy.updated', {
      target: { kind: 'policy', id, label: after.name },
      detail: { version: after.version, changed: changesOf(before, columns) },
    })
    return after
  })
}

/** Only the differences: sending a policy back unchanged is no change. */
function changedColumns(before: Policy, change: PolicyChangeBody): Partial<NewPolicy> {
  const { name, rego, enforcement, workspaces } = change
  return {
    ...(name !== undefined && name !== before.name && { name }),
    ...(rego !== undefined && rego !== before.rego && { rego }),
    ...(enforcement && enforcement !== before.enforcement && { enforcement }),
    ...(workspaces && !isDeepStrictEqual(workspaces, before.workspaces) && { workspaces }),
  }
}

/** The audit entry without the Rego text, which may be long. */
function changesOf(before: Policy, { rego, ...columns }: Partial<NewPolicy>) {
  const told = Object.entries(columns).map(([field, to]) => [
    field,
    { from: before[field as keyof typeof columns], to },
  ])
  return { ...Object.fromEntries(told), ...(rego !== undefined && { rego: true }) }
}
