import type { Tenant } from '../../store/driver/tenant.ts'
import { createSecretSearch, type SecretSearch } from '../../domain/secrets/secret-search.ts'
import { workspaceVariables } from '../../store/workspaces/workspace-variables.ts'
import type { Deps } from '../deps.ts'
import { placeOfValue } from './present-variable.ts'

/** The workspace's current sensitive values, opened only to search for them. */
async function secretsOfWorkspace(
  { keyring }: Pick<Deps, 'keyring'>,
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
  deps: Pick<Deps, 'keyring'>,
  tenant: Tenant,
  place: { organizationId: number; workspaceId: number },
): Promise<SecretSearch> {
  return createSecretSearch(await secretsOfWorkspace(deps, tenant, place))
}
