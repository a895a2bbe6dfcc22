import { eachByItself } from '../../app/platform/each-by-itself.ts'
import { systemActor } from '../../store/audit/audit-log.ts'
import { endRun } from '../../app/runs/end-run.ts'
import { applyAttempts } from '../../store/infrastructure/apply-attempts.ts'
import { requestStart } from '../../app/runs/promote-next.ts'
import { workspaceRuns } from '../../store/runs/workspace-runs.ts'
import { liveRuns, type LiveRun } from '../../store/platform/live-runs.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import { infrastructureRunId } from '../../workflows/infrastructure/contract.ts'
import type { Deps } from '../deps.ts'
import { allLiveApplications, settleApplication } from './reconcile-applications.ts'

const batch = 200

/**
 * Compares every live run with Temporal (docs/temporal.md). A run whose workflow is closed fails;
 * one whose workflow is unknown to Temporal is started again, and `nextStep` finds its place. The
 * phase is read again, under a lock, before anything is written.
 */
export const reconcileRuns =
  (deps: Deps) => async (): Promise<{ looked: number; settled: number }> => {
    let looked = 0
    let settled = 0
    const pass = async <R extends Live>(runs: AsyncGenerator<R>, settleOne: Settle<R>) =>
      eachByItself(runs, {
        task: 'reconcile',
        log: deps.log,
        async work(run) {
          looked += 1
          if (await settleOne(deps, run)) settled += 1
        },
      })
    try {
      await pass(allLiveRuns(deps), settle)
    } finally {
      // Also where a row of the first pass failed: it would fail in each pass.
      await pass(allLiveApplications(deps), settleApplication)
    }
    return { looked, settled }
  }

type Live = { organizationId: number }
type Settle<R> = (deps: Deps, run: R) => Promise<boolean>

async function* allLiveRuns({ store }: Deps): AsyncGenerator<LiveRun> {
  for (let after = 0; ;) {
    const runs = await liveRuns(store.platform, { after, limit: batch })
    yield* runs
    const last = runs.at(-1)
    if (!last || runs.length < batch) return
    after = last.workspaceRunId
  }
}

async function settle(deps: Deps, live: LiveRun): Promise<boolean> {
  const { organizationId, workspaceRunId } = live
  if (live.startPending) return false
  const state = await deps.workflowState(infrastructureRunId({ organizationId, workspaceRunId }))
  if (state === 'running') return false
  deps.log.warn(
    { organizationId, workspaceRunId, phase: live.phase, state },
    'a run has lost its workflow',
  )

  return deps.store.tenant(organizationId, async (tenant) => {
    await workspaces(tenant).getForUpdate(live.workspaceId)
    const run = await workspaceRuns(tenant).getForUpdate(workspaceRunId)
    if (run.phase !== live.phase) return false
    if (state === 'missing') {
      await requestStart(tenant, { ...run, again: `:${Date.now()}` })
      return true
    }
    const workspace = await workspaces(tenant).get(live.workspaceId)
    const attempt = await applyAttempts(tenant).find(workspaceRunId)
    if (attempt === undefined || attempt.fence === workspace.fence)
      await workspaces(tenant).raiseFence(live.workspaceId)
    if (run.phase === 'applying') {
      await workspaces(tenant).markNeedsRefresh(live.workspaceId)
      // Its program may still run. Fenced off, it is interrupted, and the next pass ends the run. If the run
      // ended now, the next run could apply beside it.
      if (attempt?.alive) return false
      await applyAttempts(tenant).end(workspaceRunId, { exitCode: null })
    }
    return endRun(
      tenant,
      { organizationId, workspaceRunId, actor: systemActor },
      {
        phase: 'failed',
        reason: 'runner_lost',
        message: 'The workflow of this run was ended in Temporal. Start a new run.',
      },
    )
  })
}
