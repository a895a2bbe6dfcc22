import type { Tenant } from '../../store/driver/tenant.ts'
import type { IncomingState } from '../../gateways/states/split-state.ts'
import { sealStatePart } from '../../gateways/states/seal-state-part.ts'
import { partTables, stateParts } from '../../store/workspaces/state-parts.ts'
import {
  stateVersions,
  type NewStateVersion,
  type StateVersion,
} from '../../store/workspaces/state-versions.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'

type About = Pick<NewStateVersion, 'workspaceId' | 'createdBy'> &
  Partial<Pick<NewStateVersion, 'status' | 'reason' | 'workspaceRunId' | 'userId' | 'generation'>>

/** Stores a state as a version while its parts arrive, so that it is never whole in memory. */
export async function keepState(
  deps: { keyring: Keyring },
  tenant: Tenant,
  { state: { header, parts }, ...about }: { state: IncomingState } & About,
): Promise<StateVersion> {
  const version = await stateVersions(tenant).create({ ...about, ...header })
  await keepParts(deps, tenant, { versionId: version.id, parts })
  return version
}

export async function keepParts(
  deps: { keyring: Keyring },
  tenant: Tenant,
  { versionId, parts }: { versionId: number; parts: IncomingState['parts'] },
): Promise<void> {
  for await (const part of parts) {
    const place = {
      organizationId: tenant.organizationId,
      table: partTables[part.kind],
      ownerId: versionId,
    }
    const sealed = sealStatePart(deps.keyring, place, part)
    await stateParts(tenant).add(versionId, part.kind, sealed)
  }
}
