import { checkManifest } from '../../domain/manifest/check-manifest.ts'
import { planRelease } from '../../domain/pipelines/release-plan.ts'
import { ensureSigningKey } from '../../app/signing/ensure-signing-key.ts'
import { openRelease } from '../../app/deployments/open-release.ts'
import { outputsFor } from '../../app/deployments/outputs-for.ts'
import { releases } from '../../store/runs/releases.ts'
import type { ApplicationRunInput } from '../../workflows/pipelines/contract.ts'
import type { Deps } from '../deps.ts'
import { ownerOfApplication } from './application-owner.ts'

/** The end of the deployment before wakes this run; a wake that was lost costs it so long. */
const turnPollMs = 30_000

/**
 * Begins a deployment, once: it is a row with the run's id, made in the transaction that moves the run on.
 * Answers how long to wait for another deployment of the pipeline.
 */
export const openDeployment =
  (deps: Pick<Deps, 'store' | 'keyring'>) =>
  async ({ runId }: ApplicationRunInput): Promise<{ timeoutMs: number } | undefined> => {
    const organizationId = await ownerOfApplication(deps, runId)
    const { manifest, targetWorkspaceId } = await deps.store.tenant(
      organizationId,
      async (tenant) => releases(tenant).get(runId),
    )
    const names = planRelease(checkManifest(manifest ?? '').manifest?.deploy).outputs
    // Read before the transaction: a large state is read in many pieces.
    const outputs =
      targetWorkspaceId === null
        ? {}
        : await outputsFor(deps, { organizationId, workspaceId: targetWorkspaceId }, names)
    const key = await ensureSigningKey(deps, organizationId)
    const opened = await deps.store.tenant(organizationId, async (tenant) =>
      openRelease({ ...deps, key }, tenant, { runId, outputs }),
    )
    return opened === 'wait_for_other' ? { timeoutMs: turnPollMs } : undefined
  }
