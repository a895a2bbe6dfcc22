import { isDeepStrictEqual } from 'node:util'
import { checkManifest } from '../../domain/manifest/check-manifest.ts'
import { planRelease } from '../../domain/pipelines/release-plan.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import type { Store } from '../../store/driver/connect.ts'
import type { ReleaseApproval } from '../../store/runs/release-approvals.ts'
import type { Release } from '../../store/runs/releases.ts'
import { stateVersions } from '../../store/workspaces/state-versions.ts'
import { approvalOfRelease } from '../runs/approval-of-release.ts'
import { outputsFor } from './outputs-for.ts'

/** What hooks are given of the target's state. */
export type HookOutputs = {
  /** By the names of their variables. */
  outputs: Record<string, string>
  /** Whether the target had the same outputs when the release was approved. */
  holdFor(approval: Pick<ReleaseApproval, 'stateVersionId'>): boolean
}

/** Of a release whose hooks are given none: no state changes what its approval is of. */
export const noOutputs: HookOutputs = { outputs: {}, holdFor: () => true }

/**
 * The outputs as they are now, compared with those at the approval: whoever may change the target's state could
 * otherwise lead the hooks of an approved release to another address. Read before the transaction that begins the
 * deployment, since a large state is read in many pieces; an approval that is given meanwhile was not compared, and
 * counts as one of other outputs.
 */
export async function hookOutputs(
  deps: { store: Store; keyring: Keyring },
  organizationId: number,
  release: Release,
): Promise<HookOutputs> {
  const { targetWorkspaceId: workspaceId, manifest } = release
  const names = planRelease(checkManifest(manifest ?? '').manifest?.deploy).outputs
  if (workspaceId === null || names.length === 0) return noOutputs
  const { current, approval } = await deps.store.tenant(organizationId, async (tenant) => {
    const version = await stateVersions(tenant).current(workspaceId)
    return { current: version?.id ?? null, approval: await approvalOfRelease(tenant, release) }
  })
  const read = async (stateVersionId: number | null) =>
    outputsFor(deps, { organizationId, workspaceId, stateVersionId }, names)
  const outputs = await read(current)
  if (!approval) return { outputs, holdFor: () => false }
  const compared = approval.stateVersionId
  const isSame = compared === current || isDeepStrictEqual(await read(compared), outputs)
  return { outputs, holdFor: ({ stateVersionId }) => isSame && stateVersionId === compared }
}
