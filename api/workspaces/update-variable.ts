import type { Caller } from '../../domain/access/caller.ts'
import { invalid } from '../../domain/errors.ts'
import { faultOfVariableKey, isOtherStep } from '../../domain/workspaces/variables.ts'
import { refuseTotals, refuseValue } from '../../domain/workspaces/variable-bounds.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { noteChange } from '../../app/workspaces/note-change.ts'
import type { Deps } from '../deps.ts'
import { assertSearchable } from './assert-searchable.ts'
import { holdWorkspace } from './hold-workspace.ts'
import { refusePhase } from './refuse-phase.ts'
import { placeOfValue, retireValue } from '../../app/workspaces/secrets-of-workspace.ts'
import { presentVariable } from './present-variable.ts'
import {
  workspaceVariables,
  type WorkspaceVariable,
} from '../../store/workspaces/workspace-variables.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import type { VariableBody, VariableChangeBody } from './schemas.ts'

/**
 * Changes a variable. Any value counts as a change, also the stored one: otherwise the audit log would
 * tell an attacker whether a guess at a sensitive value was right.
 */
export async function updateVariable(
  deps: Deps,
  caller: Caller,
  target: { id: number; variableId: number; change: VariableChangeBody },
): Promise<VariableBody> {
  const { organizationId } = caller
  const { id, variableId, change } = target
  return holdWorkspace(deps, { caller, id }, async (tenant) => {
    const variables = workspaceVariables(tenant)
    const before = await variables.get(id, variableId)
    const { value, sensitive = before.sensitive, phase = before.phase } = change
    assertGiven(before, change)
    if (value === undefined && sensitive === before.sensitive && phase === before.phase)
      return presentVariable(
        deps.keyring,
        organizationId,
        await describeVariable(tenant, caller, { workspaceId: id, before, change }),
      )

    const { key, kind } = before
    const fault = faultOfVariableKey(kind, key)
    if (fault) throw invalid(`key: ${fault.message}. Delete the variable.`, undefined, fault.code)
    refusePhase({ kind, key }, phase)
    const plain = value ?? deps.keyring.open(placeOfValue(organizationId), before.value).toString()
    const refusal = refusalOf({ ...before, sensitive, plain }, await variables.measure(id))
    if (refusal) throw refusal
    await assertSearchable(deps, tenant, {
      workspaceId: id,
      variable: { id: variableId, key, kind, sensitive, value: plain },
    })

    const valueMac = deps.keyring.mac('variable', plain)
    // The value of a variable that was not sensitive was public.
    if (before.sensitive && !valueMac.equals(before.valueMac))
      await retireValue(deps, tenant, before)
    const row = await variables.update(id, variableId, {
      sensitive,
      phase,
      ...(change.description !== undefined && { description: change.description }),
      ...(value !== undefined && {
        value: deps.keyring.seal(placeOfValue(organizationId), value),
        valueMac,
      }),
    })
    await auditLog(tenant, actorOf(caller)).record('workspace.variable_updated', {
      target: { kind: 'workspace', id },
      detail: { variableId, key: row.key, sensitive, phase, valueChanged: value !== undefined },
    })
    await noteChange(tenant, caller, {
      workspaceId: id,
      what: `variable ${row.key}`,
      effect: 'stale',
    })
    return presentVariable(deps.keyring, organizationId, row)
  })
}

/**
 * A sensitive value is write-only. Without these checks, a Deployer could read the secrets of production's
 * applies: by making them not sensitive, or by giving them to plans, which run their author's code and which
 * nobody approves.
 */
function assertGiven(
  before: WorkspaceVariable,
  { value, sensitive, phase = before.phase }: VariableChangeBody,
): void {
  if (!before.sensitive || value !== undefined) return
  if (sensitive === false)
    throw invalid('A sensitive value is never shown again: send a new value with it.', [
      { path: 'value', message: 'is required to make the variable non-sensitive' },
    ])
  if (isOtherStep(before.phase, phase))
    throw invalid('A sensitive value goes to no other phase: send a new value with it.', [
      { path: 'value', message: 'is required to give a sensitive variable to another phase' },
    ])
}

type Changed = Pick<WorkspaceVariable, 'id' | 'key' | 'kind' | 'sensitive'> & { plain: string }
type Measured = Awaited<ReturnType<ReturnType<typeof workspaceVariables>['measure']>>

/** Why the variable cannot have this value beside the others of its workspace; undefined if it can. */
function refusalOf({ id, key, kind, sensitive, plain }: Changed, all: Measured) {
  const bytes = Buffer.byteLength(plain)
  return (
    refuseValue({ key, kind, sensitive, value: plain }) ??
    refuseTotals(
      all,
      all.map((other) => (other.id === id ? { ...other, sensitive, bytes } : other)),
    )
  )
}

type Described = { workspaceId: number; before: WorkspaceVariable; change: VariableChangeBody }

/** No run reads a description, so no plan is made void and nobody becomes an author. */
async function describeVariable(
  tenant: Tenant,
  caller: Caller,
  { workspaceId, before, change: { description } }: Described,
): Promise<WorkspaceVariable> {
  if (description === undefined || description === before.description) return before
  const { id: variableId, key, sensitive, phase } = before
  const row = await workspaceVariables(tenant).update(workspaceId, variableId, { description })
  await auditLog(tenant, actorOf(caller)).record('workspace.variable_updated', {
    target: { kind: 'workspace', id: workspaceId },
    detail: { variableId, key, sensitive, phase, valueChanged: false, descriptionChanged: true },
  })
  return row
}
