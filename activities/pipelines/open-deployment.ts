import { Context } from '@temporalio/activity'
import { ensureSigningKey } from '../../app/signing/ensure-signing-key.ts'
import { hookOutputs } from '../../app/deployments/hook-outputs.ts'
import { openRelease, type Opened } from '../../app/deployments/open-release.ts'
import { openWorkspaceRelease } from '../../app/deployments/open-workspace-release.ts'
import { releases } from '../../store/runs/releases.ts'
import type { ApplicationRunInput } from '../../workflows/pipelines/contract.ts'
import { beatWhile } from '../beat-while.ts'
import type { Deps } from '../deps.ts'
import { finalIfRefused, gitActivity } from '../git/git-activity.ts'
import { notingRefusals } from '../git/note-refusal.ts'
import { ownerOfApplication } from './application-owner.ts'

type Needed = Pick<Deps, 'store' | 'keyring' | 'outbound' | 'publicOrigin'>

/** The end of the deployment before wakes this run; a wake that was lost costs it so long. */
const turnPollMs = 30_000
/** The Git host of the target workspace does not answer. */
const sourcePollMs = 60_000

/**
 * Begins a deployment, once: it is a row with the run's id, made in the transaction that moves the run on.
 * Answers how long to wait for another deployment of the pipeline.
 */
export const openDeployment =
  (deps: Needed) =>
  async ({ runId }: ApplicationRunInput): Promise<{ timeoutMs: number } | undefined> =>
    beatWhile(async () => {
      const organizationId = await ownerOfApplication(deps, runId)
      const release = await deps.store.tenant(organizationId, async (tenant) =>
        releases(tenant).get(runId),
      )
      const { targetWorkspaceId, resolvedStrategy } = release
      if (resolvedStrategy?.kind === 'workspace' && targetWorkspaceId !== null)
        return waitAfter(
          await openByWorkspace(deps, { organizationId, runId, workspaceId: targetWorkspaceId }),
        )
      const outputs = await hookOutputs(deps, organizationId, release)
      const key = await ensureSigningKey(deps, organizationId)
      const opened = await deps.store.tenant(organizationId, async (tenant) =>
        openRelease({ ...deps, key }, tenant, { runId, outputs }),
      )
      return waitAfter(opened)
    })

/**
 * Within the organization's share of the calls of Git hosts. A refused token ends the run. Where the attempt was given
 * up, its calls were cut off: that says nothing of the host, and another attempt is under way.
 */
const openByWorkspace = async (
  deps: Needed,
  place: { organizationId: number; runId: number; workspaceId: number },
): Promise<Opened | 'wait_for_source'> =>
  gitActivity(deps, place.organizationId, async (within) =>
    openWorkspaceRelease(within, place, async (connection, work) =>
      notingRefusals(deps, place.organizationId, { connection, work }).catch((error: unknown) => {
        if (Context.current().cancellationSignal.aborted)
          throw new Error('this attempt was given up', { cause: error })
        throw finalIfRefused(error)
      }),
    ),
  )

function waitAfter(opened: Opened | 'wait_for_source'): { timeoutMs: number } | undefined {
  if (opened === 'wait_for_source') return { timeoutMs: sourcePollMs }
  return opened === 'wait_for_other' ? { timeoutMs: turnPollMs } : undefined
}
