import type { Tenant } from '../../store/driver/tenant.ts'
import { partsOfSecret } from '../../domain/secrets/parts-of-secret.ts'
import { createSecretSearch, type SecretSearch } from '../../domain/secrets/secret-search.ts'
import { workspaceVariables } from '../../store/workspaces/workspace-variables.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'

export const placeOfValue = (organizationId: number) => ({
  organizationId,
  table: 'workspace_variables',
  column: 'value',
})

type Place = { organizationId: number; workspaceId: number }

/** The workspace's current sensitive values, opened only to search for them. */
export async function secretsOfWorkspace(
  { keyring }: { keyring: Keyring },
  tenant: Tenant,
  { organizationId, workspaceId }: Place,
): Promise<string[]> {
  const place = placeOfValue(organizationId)
  return workspaceVariables(tenant).readSensitive(workspaceId, (sealed) =>
    keyring.open(place, sealed).toString(),
  )
}

/**
 * Masks them in what was stored before they were sensitive, or in a form that OpenTofu's marks did not follow; of a
 * variable that is an object or a list, also each text in it.
 */
export async function searchForSecrets(
  { keyring }: { keyring: Keyring },
  tenant: Tenant,
  { organizationId, workspaceId }: Place,
): Promise<SecretSearch> {
  const place = placeOfValue(organizationId)
  const secrets = await workspaceVariables(tenant).readSensitive(
    workspaceId,
    (sealed, isOfOpenTofu) => {
      const value = keyring.open(place, sealed).toString()
      return isOfOpenTofu ? [value, ...partsOfSecret(value)] : [value]
    },
  )
  return createSecretSearch(secrets.flat())
}
