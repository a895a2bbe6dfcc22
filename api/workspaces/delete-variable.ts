import type { Caller } from '../../domain/access/caller.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { noteChange } from '../../app/workspaces/note-change.ts'
import { retireValue } from '../../app/workspaces/secrets-of-workspace.ts'
import { workspaceVariables } from '../../store/workspaces/workspace-variables.ts'
import type { Deps } from '../deps.ts'
import { holdWorkspace } from './hold-workspace.ts'

/** Deletes a variable of a workspace. */
export async function deleteVariable(
  deps: Deps,
  caller: Caller,
  { id, variableId }: { id: number; variableId: number },
): Promise<void> {
  await holdWorkspace(deps, { caller, id }, async (tenant) => {
    const variables = workspaceVariables(tenant)
    const variable = await variables.get(id, variableId)
    const { key, kind } = variable
    if (variable.sensitive) await retireValue(deps, tenant, variable)
    await variables.delete(id, variableId)
    await auditLog(tenant, actorOf(caller)).record('workspace.variable_deleted', {
      target: { kind: 'workspace', id },
      detail: { variableId, key, kind },
    })
    await noteChange(tenant, caller, { workspaceId: id, what: `variable ${key}`, effect: 'stale' })
  })
}
