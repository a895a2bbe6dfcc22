import { placeOfValue } from '../../app/workspaces/secrets-of-workspace.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import type { WorkspaceVariable } from '../../store/workspaces/workspace-variables.ts'
import type { VariableBody } from './schemas.ts'

/** A variable as callers see it. A sensitive value is write-only and is not opened here. */
export function presentVariable(
  keyring: Keyring,
  organizationId: number,
  row: WorkspaceVariable,
): VariableBody {
  return {
    id: row.id,
    key: row.key,
    kind: row.kind,
    value: row.sensitive ? null : keyring.open(placeOfValue(organizationId), row.value).toString(),
    sensitive: row.sensitive,
    phase: row.phase,
    description: row.description,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}
