import { placeOfValue } from '../../app/workspaces/secrets-of-workspace.ts'
import { partsOfSecret } from '../../domain/secrets/parts-of-secret.ts'
import { refuseTexts } from '../../domain/workspaces/refuse-texts.ts'
import { isOfOpenTofu } from '../../domain/workspaces/variables.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import {
  workspaceVariables,
  type WorkspaceVariable,
} from '../../store/workspaces/workspace-variables.ts'

/** As it will be stored. A new one has the id 0. */
type Variable = Pick<WorkspaceVariable, 'id' | 'key' | 'kind' | 'sensitive'> & { value: string }

/** Throws 400 `variables_too_large` if, with the texts in this value, reads of the workspace would search for too much. */
export async function assertSearchable(
  { keyring }: { keyring: Keyring },
  tenant: Tenant,
  { workspaceId, variable }: { workspaceId: number; variable: Variable },
): Promise<void> {
  const { sensitive, value } = variable
  if (!sensitive || !isOfOpenTofu(variable) || partsOfSecret(value).length === 0) return
  const place = placeOfValue(tenant.organizationId)
  const all = await workspaceVariables(tenant).list(workspaceId)
  const stored = all
    // One whose key the keyring lacks stays in nobody's way, as when it is retired.
    .filter((one) => one.sensitive && keyring.knows(one.value))
    .map((one) => ({
      id: one.id,
      isOfOpenTofu: isOfOpenTofu(one),
      value: keyring.open(place, one.value).toString(),
    }))
  const refusal = refuseTexts(variable, stored)
  if (refusal) throw refusal
}
