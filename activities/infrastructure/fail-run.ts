import { systemActor } from '../../store/audit/audit-log.ts'
import { endRun } from '../../app/runs/end-run.ts'
import { workspaceRuns } from '../../store/runs/workspace-runs.ts'
import type { InfrastructureRunInput, RunFailure } from '../../workflows/infrastructure/contract.ts'
import type { Deps } from '../deps.ts'
import { ownerOf } from '../runs/find-run.ts'

/** Messages of faults that an operator can repair. */
const byCode: Record<string, string> = {
  keyring_unavailable:
    'A key that this run needs is not in the keyring. An operator must add it to CC_KEYRING.',
  sandbox_unavailable: 'The sandbox does not work on the worker. Its log says why.',
  no_slot: 'No place in the sandbox became free. Start a new run later.',
}

const byReason: Record<RunFailure['reason'], string> = {
  runner_lost: 'The worker was lost while planning, several times. Start a new run.',
  timed_out: 'The plan took longer than a plan may take.',
  apply_errored:
    'The apply could not be begun because of a fault on our side. Nothing was changed.',
  plan_errored: 'The plan could not be made because of a fault on our side. Start a new run.',
}

/** Ends a run that has used all of its attempts and has changed nothing. */
export const failRun =
  (deps: Deps) =>
  async ({
    runId: workspaceRunId,
    reason,
    code,
  }: InfrastructureRunInput & RunFailure): Promise<void> => {
    const organizationId = await ownerOf(deps, workspaceRunId)
    await deps.store.tenant(organizationId, async (tenant) => {
      const run = await workspaceRuns(tenant).get(workspaceRunId)
      // An apply under way is ended by reconcileApply alone.
      if (run.phase !== 'planning' && run.phase !== 'apply_queued') return
      await endRun(
        tenant,
        { organizationId, workspaceRunId, actor: systemActor },
        {
          // An attempt that was given up may have moved the run on since: to its approval, or into its apply.
          from: [run.phase],
          ...(run.cancelRequestedAt
            ? { phase: 'canceled', reason: 'canceled_by_user' }
            : { phase: 'failed', reason, message: byCode[code ?? ''] ?? byReason[reason] }),
        },
      )
    })
  }
