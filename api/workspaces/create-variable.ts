import type { Caller } from '../../domain/access/caller.ts'
import { conflict, invalid } from '../../domain/errors.ts'
import { faultOfVariableKey } from '../../domain/workspaces/variables.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { noteChange } from '../../store/workspaces/note-change.ts'
import { workspaceVariables } from '../../store/workspaces/workspace-variables.ts'
import type { Deps } from '../deps.ts'
import { holdWorkspace } from './hold-workspace.ts'
import { placeOfValue, presentVariable } from './present-variable.ts'
import type { NewVariableBody, VariableBody } from './schemas.ts'

export const variablesPerWorkspace = 200

/** Adds a variable to what a workspace's plans are given. */
export async function createVariable(
  deps: Deps,
  caller: Caller,
  { id, variable }: { id: number; variable: NewVariableBody },
): Promise<VariableBody> {
  const { organizationId } = caller
  const { key, value, kind = 'terraform', sensitive = false } = variable
  const fault = faultOfVariableKey(kind, key)
  if (fault) throw invalid(`key: ${fault}.`, [{ path: 'key', message: fault }])
  return holdWorkspace(deps, { caller, id }, async (db) => {
    const variables = workspaceVariables(db, organizationId)
    if ((await variables.list(id)).length >= variablesPerWorkspace)
      throw conflict('variable_limit', `At most ${variablesPerWorkspace} variables a workspace.`)
    const row = await variables.create(id, {
      key,
      kind,
      sensitive,
      value: deps.keyring.seal(placeOfValue(organizationId), value),
      valueMac: deps.keyring.mac('variable', value),
    })
    await auditLog(db, organizationId, actorOf(caller)).record('workspace.variable_created', {
      target: { kind: 'workspace', id },
      detail: { variableId: row.id, key, kind, sensitive },
    })
    await noteChange(db, caller, { workspaceId: id, what: `variable ${key}`, effect: 'stale' })
    return presentVariable(deps.keyring, organizationId, row)
  })
}
