import { AppError } from '../../domain/errors.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import { withSplitState, type IncomingState } from '../../gateways/states/split-state.ts'
import { workspaceResources } from '../../store/clouds/workspace-resources.ts'
import type { Store } from '../../store/driver/connect.ts'
import { stateVersions, type StateVersion } from '../../store/workspaces/state-versions.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import { secretsOfWorkspace } from './secrets-of-workspace.ts'
import { inParts, piecesOf } from './state-in-parts.ts'

type Deps = { store: Store; keyring: Keyring }
type Place = { organizationId: number; workspaceId: number }

/**
 * Notes the resources of a state that was stored before they were noted with it, as held since the day
 * on which it was stored. Idempotent: a state that was stored meanwhile has noted its own, and then
 * nothing is left to do here.
 */
export async function noteHeldResources(deps: Deps, place: Place): Promise<void> {
  const { organizationId, workspaceId } = place
  const { current, secrets } = await deps.store.tenant(organizationId, async (tenant) => ({
    current: await stateVersions(tenant).current(workspaceId),
    secrets: await secretsOfWorkspace(deps, tenant, place),
  }))
  if (!current || current.heldSha256 !== null) return settle(deps, place)
  const version = await inParts(deps, { organizationId, version: current })
  const bytes = piecesOf(deps, { organizationId, version })
  try {
    await withSplitState({ organizationId, bytes }, secrets, async (state) =>
      settle(deps, place, { version, state }),
    )
  } catch (error) {
    // It will not be readable later either. The next version notes what it holds.
    if (error instanceof AppError && error.fault !== 'unavailable') return settle(deps, place)
    throw error
  }
}

async function settle(
  { store }: Deps,
  { organizationId, workspaceId }: Place,
  read?: { version: StateVersion; state: IncomingState },
): Promise<void> {
  await store.tenant(organizationId, async (tenant) => {
    await workspaces(tenant).getForUpdate(workspaceId)
    if (read) {
      const { version, state } = read
      const current = await stateVersions(tenant).current(workspaceId)
      if (current?.id !== version.id || current.heldSha256 !== null) return
      const day = version.createdAt.toISOString().slice(0, 10)
      const renewal = workspaceResources(tenant).renewal(workspaceId, day, {
        isConfirmed: version.workspaceRunId !== null,
      })
      for await (const part of state.parts)
        if (part.kind === 'held') await renewal.add(part.bytes.toString())
      await renewal.end()
      await stateVersions(tenant).noteHeld(version.id, state.held.sha256)
    }
    await workspaces(tenant).noteResources(workspaceId)
  })
}
