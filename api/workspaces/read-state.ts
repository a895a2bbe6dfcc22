import type { Db } from '../../store/connect.ts'
import { stateVersions, type StateVersion } from '../../store/workspaces/state-versions.ts'
import type { Deps } from '../deps.ts'

export type StateAddress = {
  organizationId: number
  workspaceId: number
  /** A version other than the current one. */
  version?: StateVersion
}

/** A state, opened; the current one unless said. Undefined where the workspace has none yet. */
export async function readState(
  { keyring }: Deps,
  db: Db,
  { organizationId, workspaceId, version: wanted }: StateAddress,
): Promise<{ version: StateVersion; body: Buffer } | undefined> {
  const versions = stateVersions(db, organizationId)
  const version = wanted ?? (await versions.current(workspaceId))
  if (!version) return undefined
  const place = { organizationId, table: 'state_versions', column: 'body' }
  return { version, body: keyring.open(place, await versions.sealedBody(version.id)) }
}
