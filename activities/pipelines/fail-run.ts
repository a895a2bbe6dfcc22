import type { RunReason } from '../../domain/pipelines/run-state.ts'
import { systemActor } from '../../store/audit/audit-log.ts'
import { endRun } from '../../store/pipelines/end-run.ts'
import { workspaceRuns } from '../../store/pipelines/workspace-runs.ts'
import type { InfrastructureRunInput } from '../../workflows/pipelines/contract.ts'
import type { Deps } from '../deps.ts'
import { ownerOf } from './load-run.ts'

const messages: Partial<Record<RunReason, string>> = {
  runner_lost: 'The worker was lost while planning, several times. Start a new run.',
  timed_out: 'The plan took longer than a plan may take.',
  apply_errored:
    'The apply could not be begun because of a fault on our side. Nothing was changed.',
  plan_errored: 'The plan could not be made because of a fault on our side. Start a new run.',
}

/** Ends a run that was tried as often as it may be and has changed nothing. */
export const failRun =
  (deps: Deps) =>
  async ({ runId, reason }: InfrastructureRunInput & { reason: RunReason }): Promise<void> => {
    const organizationId = await ownerOf(deps, runId)
    await deps.store.tenant(organizationId, async (db) => {
      const run = await workspaceRuns(db, organizationId).get(runId)
      // An apply under way is reconcileApply's to end, never this one's.
      if (run.phase !== 'planning' && run.phase !== 'apply_queued') return
      await endRun(
        db,
        { organizationId, runId, actor: systemActor },
        run.cancelRequestedAt
          ? { phase: 'canceled', reason: 'canceled_by_user' }
          : { phase: 'failed', reason, message: messages[reason] ?? 'The run failed.' },
      )
    })
  }
