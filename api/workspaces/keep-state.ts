import type { IncomingState } from '../../gateways/states/split-state.ts'
import { sealStatePart } from '../../gateways/states/seal-state-part.ts'
import type { Db } from '../../store/connect.ts'
import { partTables, stateParts } from '../../store/workspaces/state-parts.ts'
import {
  stateVersions,
  type NewStateVersion,
  type StateVersion,
} from '../../store/workspaces/state-versions.ts'
import type { Deps } from '../deps.ts'

type About = Pick<NewStateVersion, 'workspaceId' | 'createdBy'> &
  Partial<Pick<NewStateVersion, 'status' | 'reason' | 'workspaceRunId' | 'userId' | 'generation'>>

/** Stores a state as a version while its parts arrive, so that it is never whole in memory. */
export async function keepState(
  { keyring, db, organizationId }: { keyring: Deps['keyring']; db: Db; organizationId: number },
  { header, parts }: IncomingState,
  about: About,
): Promise<StateVersion> {
  const version = await stateVersions(db, organizationId).create({ ...about, ...header })
  await keepParts({ keyring, db, organizationId }, version.id, parts)
  return version
}

export async function keepParts(
  { keyring, db, organizationId }: { keyring: Deps['keyring']; db: Db; organizationId: number },
  versionId: number,
  parts: IncomingState['parts'],
): Promise<void> {
  for await (const part of parts) {
    const place = { organizationId, table: partTables[part.kind], ownerId: versionId }
    const sealed = sealStatePart(keyring, place, part)
    await stateParts(db, organizationId).add(versionId, part.kind, sealed)
  }
}
