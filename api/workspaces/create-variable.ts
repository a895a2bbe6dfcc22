import type { Caller } from '../../domain/access/caller.ts'
import { invalid } from '../../domain/errors.ts'
import { refuseTotals, refuseValue } from '../../domain/workspaces/variable-bounds.ts'
import { faultOfVariableKey } from '../../domain/workspaces/variables.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { noteChange } from '../../app/workspaces/note-change.ts'
import { workspaceVariables } from '../../store/workspaces/workspace-variables.ts'
import type { Deps } from '../deps.ts'
import { assertSearchable } from './assert-searchable.ts'
import { refusePhase } from './refuse-phase.ts'
import { holdWorkspace } from './hold-workspace.ts'
import { placeOfValue } from '../../app/workspaces/secrets-of-workspace.ts'
import { presentVariable } from './present-variable.ts'
import type { NewVariableBody, VariableBody } from './schemas.ts'

/** Adds a variable to a workspace. */
export async function createVariable(
  deps: Deps,
  caller: Caller,
  { id, variable }: { id: number; variable: NewVariableBody },
): Promise<VariableBody> {
  const { organizationId } = caller
  const { key, value, kind = 'terraform', sensitive = false, phase = 'both' } = variable
  const { description = '' } = variable
  const fault = faultOfVariableKey(kind, key)
  if (fault)
    throw invalid(`key: ${fault.message}.`, [{ path: 'key', message: fault.message }], fault.code)
  refusePhase({ kind, key }, phase)
  const refusal = refuseValue({ key, kind, sensitive, value })
  if (refusal) throw refusal
  return holdWorkspace(deps, { caller, id }, async (tenant) => {
    const variables = workspaceVariables(tenant)
    const before = await variables.measure(id)
    const added = { id: 0, key, kind, sensitive, bytes: Buffer.byteLength(value) }
    const limit = refuseTotals(before, [...before, added])
    if (limit) throw limit
    await assertSearchable(deps, tenant, { workspaceId: id, variable: { ...added, value } })
    const row = await variables.create(id, {
      key,
      kind,
      sensitive,
      phase,
      description,
      value: deps.keyring.seal(placeOfValue(organizationId), value),
      valueMac: deps.keyring.mac('variable', value),
    })
    await auditLog(tenant, actorOf(caller)).record('workspace.variable_created', {
      target: { kind: 'workspace', id },
      detail: { variableId: row.id, key, kind, sensitive, phase },
    })
    await noteChange(tenant, caller, { workspaceId: id, what: `variable ${key}`, effect: 'stale' })
    return presentVariable(deps.keyring, organizationId, row)
  })
}
