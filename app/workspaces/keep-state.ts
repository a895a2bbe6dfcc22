import type { Tenant } from '../../store/driver/tenant.ts'
import type { IncomingState } from '../../gateways/states/split-state.ts'
import { sealStatePart } from '../../gateways/states/seal-state-part.ts'
import { workspaceResources } from '../../store/clouds/workspace-resources.ts'
import { partTables, stateParts } from '../../store/workspaces/state-parts.ts'
import {
  stateVersions,
  type NewStateVersion,
  type StateVersion,
} from '../../store/workspaces/state-versions.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'

type About = Pick<NewStateVersion, 'workspaceId' | 'createdBy'> &
  Partial<Pick<NewStateVersion, 'status' | 'reason' | 'workspaceRunId' | 'userId' | 'generation'>>

/**
 * Stores a state as a version while its parts arrive, so that it is never whole in memory. A version
 * that becomes current is also what its workspace owns from today on; a quarantined one owns nothing. The state
 * of a run is that of an apply: no other step of a run writes one.
 */
export async function keepState(
  deps: { keyring: Keyring },
  tenant: Tenant,
  { state: { header, held, parts }, ...about }: { state: IncomingState } & About,
): Promise<StateVersion> {
  const versions = stateVersions(tenant)
  const { workspaceId, workspaceRunId = null } = about
  const day = today()
  const current = await versions.current(workspaceId)
  const becomesCurrent = about.status !== 'quarantined'
  const version = await versions.create({
    generation: current?.generation ?? 0,
    ...about,
    ...header,
    heldSha256: becomesCurrent ? held.sha256 : null,
  })
  // The same set as before: none of its rows is looked at.
  const renews = becomesCurrent && current?.heldSha256 !== held.sha256
  await keepParts(deps, tenant, {
    versionId: version.id,
    parts,
    ...(renews && { renews: { workspaceId, runId: workspaceRunId, day } }),
  })
  if (becomesCurrent && workspaceRunId !== null)
    await workspaceResources(tenant).confirm(workspaceId, day)
  return version
}

type Kept = {
  versionId: number
  parts: IncomingState['parts']
  /** The workspace whose resources are those of this state from `day` on, and the run that applied it. */
  renews?: { workspaceId: number; runId: number | null; day: string }
}

export async function keepParts(
  deps: { keyring: Keyring },
  tenant: Tenant,
  { versionId, parts, renews }: Kept,
): Promise<void> {
  const renewal =
    renews &&
    workspaceResources(tenant).renewal(renews.workspaceId, renews.day, { runId: renews.runId })
  for await (const part of parts) {
    if (part.kind === 'held') {
      // These come last.
      if (!renewal) break
      await renewal.add(part.bytes.toString())
      continue
    }
    const place = {
      organizationId: tenant.organizationId,
      table: partTables[part.kind],
      ownerId: versionId,
    }
    const sealed = sealStatePart(deps.keyring, place, part)
    await stateParts(tenant).add(versionId, part.kind, sealed)
  }
  await renewal?.end()
}

/** Days are those of UTC. */
const today = () => new Date().toISOString().slice(0, 10)
