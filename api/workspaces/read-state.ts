import { parseState, type StateDocument } from '../../domain/workspaces/state-document.ts'
import type { Db } from '../../store/connect.ts'
import { stateVersions, type StateVersion } from '../../store/workspaces/state-versions.ts'
import type { Deps } from '../deps.ts'

export type ReadState = { version: StateVersion; body: Buffer; document: StateDocument }

/** The current state, opened; undefined where the workspace has none yet. */
export async function readState(
  { keyring }: Deps,
  db: Db,
  { organizationId, workspaceId }: { organizationId: number; workspaceId: number },
): Promise<ReadState | undefined> {
  const versions = stateVersions(db, organizationId)
  const version = await versions.current(workspaceId)
  if (!version) return undefined
  const place = { organizationId, table: 'state_versions', column: 'body' }
  const body = keyring.open(place, await versions.sealedBody(version.id))
  return { version, body, document: parseState(body.toString()) }
}
