import { endApplicationRun } from '../../app/runs/end-application-run.ts'
import { requestApplicationStart } from '../../app/runs/request-application-start.ts'
import { systemActor } from '../../store/audit/audit-log.ts'
import { liveApplications, type LiveApplication } from '../../store/platform/live-applications.ts'
import { lockApplication } from '../../store/runs/move-application.ts'
import { applicationRunId } from '../../workflows/pipelines/contract.ts'
import type { Deps } from '../deps.ts'

const batch = 200

type Needed = Pick<Deps, 'store' | 'workflowState' | 'log'>

/** The live runs of applications, each to be held against Temporal. */
export async function* allLiveApplications({
  store,
}: Pick<Deps, 'store'>): AsyncGenerator<LiveApplication> {
  for (let after = 0; ;) {
    const runs = await liveApplications(store.platform, { after, limit: batch })
    yield* runs
    const last = runs.at(-1)
    if (!last || runs.length < batch) return
    after = last.pipelineRunId
  }
}

/**
 * A run whose workflow is closed fails; one whose workflow is unknown to Temporal is started again, and
 * `nextApplicationStep` finds its place. The phase is read again, under a lock, before anything is written.
 */
export async function settleApplication(deps: Needed, live: LiveApplication): Promise<boolean> {
  const { organizationId, pipelineRunId, phase } = live
  if (live.startPending) return false
  const state = await deps.workflowState(applicationRunId({ organizationId, pipelineRunId }))
  if (state === 'running') return false
  deps.log.warn({ organizationId, pipelineRunId, phase, state }, 'a run has lost its workflow')
  return deps.store.tenant(organizationId, async (tenant) => {
    const run = await lockApplication(tenant, pipelineRunId)
    if (run.phase !== phase) return false
    if (state === 'missing') {
      await requestApplicationStart(tenant, {
        ...run,
        id: pipelineRunId,
        again: `:${Date.now()}`,
      })
      return true
    }
    return endApplicationRun(
      tenant,
      { runId: pipelineRunId, actor: systemActor, from: [phase] },
      {
        phase: 'failed',
        reason: 'runner_lost',
        message: 'The workflow of this run was ended in Temporal. Start a new run.',
      },
    )
  })
}
