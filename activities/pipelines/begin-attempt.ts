import { Context } from '@temporalio/activity'
import { endApplicationRun } from '../../app/runs/end-application-run.ts'
import { systemActor } from '../../store/audit/audit-log.ts'
import { gitConnections, type GitConnection } from '../../store/git/git-connections.ts'
import { applicationAttempts, type CountedStep } from '../../store/runs/application-attempts.ts'
import { moveApplication } from '../../store/runs/move-application.ts'
import { sourceOfRun, type SourceOfRun } from '../../store/runs/source-of-run.ts'
import type { Deps } from '../deps.ts'
import { openStageLog, type StageLog } from '../runs/stage-log.ts'
import { attemptMask, type AttemptMask } from './attempt-mask.ts'
import { watchApplication, type ApplicationWatch } from './watch-application.ts'

export type Attempt = {
  organizationId: number
  runId: number
  step: CountedStep
  /** From 1. */
  begun: number
  source: SourceOfRun
  connection: GitConnection | undefined
  log: StageLog
  /** Values that what is said of this attempt must not show; filled in once they are opened. */
  secrets: string[]
  mask: AttemptMask
  watch: ApplicationWatch
}

/** Neither a fetch nor a build changes anything outside, so a lost one is repeated, at most twice. */
export const maxBegun = 3

/**
 * Begins an attempt of a step. It is counted before anything of the author's is opened, so that nothing in
 * a repository can take down worker after worker. Undefined if the step is not what the run is at.
 */
export async function beginAttempt(
  deps: Pick<Deps, 'store' | 'changes' | 'stopping'>,
  place: { organizationId: number; runId: number },
  step: CountedStep,
): Promise<Attempt | undefined> {
  const { organizationId, runId } = place
  const opened = await deps.store.tenant(organizationId, async (tenant) => {
    if (step === 'source') await moveApplication(tenant, runId, { from: 'queued', to: 'sourcing' })
    const phase = step === 'source' ? 'sourcing' : 'building'
    const begun = await applicationAttempts(tenant, runId).begin(step, {
      phase,
      engineRunId: engineRunId(),
    })
    if (begun === undefined) return undefined
    if (begun > maxBegun) {
      const message = `The worker was lost ${maxBegun} times in the stage ${step}. Start a new run.`
      await endApplicationRun(
        tenant,
        { runId, actor: systemActor, from: [phase] },
        { phase: 'failed', reason: 'runner_lost', message },
      )
      return undefined
    }
    const source = await sourceOfRun(tenant, runId).get()
    const { connectionId } = source
    const connection =
      connectionId === null ? undefined : await gitConnections(tenant).find(connectionId)
    return { begun, source, connection }
  })
  if (!opened) return undefined
  const { begun, source } = opened
  const log = openStageLog({ store: deps.store, organizationId, stageId: source.stageIds[step] })
  if (begun > 1)
    await log.append([{ level: 'warn', line: 'The worker was lost. Beginning this stage again.' }])
  const watch = watchApplication(deps, place, { step, begun })
  const secrets: string[] = []
  const mask = attemptMask(secrets, organizationId)
  return { ...place, ...opened, step, log, secrets, mask, watch }
}

const engineRunId = (): string => Context.current().info.workflowExecution?.runId ?? 'unknown'
