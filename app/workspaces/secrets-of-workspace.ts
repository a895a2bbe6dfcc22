import type { Tenant } from '../../store/driver/tenant.ts'
import { createSecretSearch, type SecretSearch } from '../../domain/secrets/secret-search.ts'
import { workspaceVariables } from '../../store/workspaces/workspace-variables.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'

export const placeOfValue = (organizationId: number) => ({
  organizationId,
  table: 'workspace_variables',
  column: 'value',
})

/** The workspace's current sensitive values, opened only to search for them. */
export async function secretsOfWorkspace(
  { keyring }: { keyring: Keyring },
  tenant: Tenant,
  { organizationId, workspaceId }: { organizationId: number; workspaceId: number },
): Promise<string[]> {
  const place = placeOfValue(organizationId)
  return workspaceVariables(tenant).readSensitive(workspaceId, (sealed) =>
    keyring.open(place, sealed).toString(),
  )
}

/** Masks them in what was stored before they were sensitive, or in a form that OpenTofu's marks did not follow. */
export async function searchForSecrets(
  deps: { keyring: Keyring },
  tenant: Tenant,
  place: { organizationId: number; workspaceId: number },
): Promise<SecretSearch> {
  return createSecretSearch(await secretsOfWorkspace(deps, tenant, place))
}
