import { createSecretSearch, type SecretSearch } from '../../domain/secrets/secret-search.ts'
import type { Db } from '../../store/connect.ts'
import { workspaceVariables } from '../../store/workspaces/workspace-variables.ts'
import type { Deps } from '../deps.ts'
import { placeOfValue } from './present-variable.ts'

/** The workspace's sensitive values as they are now. They are opened to be searched for, and go nowhere. */
async function secretsOfWorkspace(
  { keyring }: Pick<Deps, 'keyring'>,
  db: Db,
  { organizationId, workspaceId }: { organizationId: number; workspaceId: number },
): Promise<string[]> {
  const rows = await workspaceVariables(db, organizationId).listSensitive(workspaceId)
  return rows.map(({ value }) => keyring.open(placeOfValue(organizationId), value).toString())
}

/** Covers them in what was stored before they were sensitive, or in a form that a mark did not follow. */
export async function searchForSecrets(
  deps: Pick<Deps, 'keyring'>,
  db: Db,
  place: { organizationId: number; workspaceId: number },
): Promise<SecretSearch> {
  return createSecretSearch(await secretsOfWorkspace(deps, db, place))
}
