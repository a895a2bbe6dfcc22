import { isSuperseded } from '../../domain/pipelines/application-state.ts'
import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { outbox } from '../../store/outbox/outbox.ts'
import type { Pipeline } from '../../store/pipelines/pipelines.ts'
import { applicationRuns } from '../../store/runs/application-runs.ts'
import type { PipelineRun } from '../../store/runs/pipeline-runs.ts'
import { stages } from '../../store/runs/stages.ts'
import { triggeredRuns, type RunTrigger } from '../../store/runs/triggered-runs.ts'
import { applicationRunId } from '../../workflows/pipelines/contract.ts'
import { endApplicationRun } from './end-application-run.ts'
import { requestApplicationStart } from './request-application-start.ts'

export type Pushed = RunTrigger & {
  pipeline: Pick<Pipeline, 'id' | 'name'>
  branch: string | null
  commitSha: string
}

/**
 * Starts a run because of a push: its place, stages, audit entry and the start of its workflow commit
 * together. An older run of a push that has not begun is superseded by it. The caller holds the
 * pipeline's row.
 */
export async function createPushedRun(tenant: Tenant, pushed: Pushed): Promise<PipelineRun> {
  const { pipeline, branch, commitSha, ...trigger } = pushed
  const { id: pipelineId, name: pipelineName } = pipeline
  const place = await applicationRuns(tenant).create({
    pipelineId,
    origin: 'push',
    authorUserId: null,
    branch,
    commitSha,
  })
  await triggeredRuns(tenant, pipelineId).note(place.id, trigger)
  await stages(tenant).createOfApplication(place.id)
  const { id, number } = place
  await auditLog(tenant, systemActor).record('pipeline.run_started', {
    target: { kind: 'run', id, label: pipelineName },
    detail: {
      pipelineId,
      kind: 'application',
      number,
      origin: 'push',
      ...(branch !== null && { branch }),
      ...(trigger.tag && { tag: trigger.tag }),
      commit: commitSha,
    },
  })
  await requestApplicationStart(tenant, { id, number, pipelineId, pipelineName })
  if (!trigger.tag) await supersedeQueued(tenant, { pipelineId, number })
  return place
}

/** A tag is a release of its own, so it supersedes nothing and is superseded by no push. */
async function supersedeQueued(
  tenant: Tenant,
  { pipelineId, number }: { pipelineId: number; number: number },
): Promise<void> {
  const { organizationId } = tenant
  const newer = {
    number,
    phase: 'queued',
    origin: 'push',
    tag: null,
    isRollback: false,
    hasArtifact: false,
    hasDeployed: false,
  } as const
  for (const older of await triggeredRuns(tenant, pipelineId).queuedBefore(number)) {
    if (!isSuperseded(older, newer)) continue
    const ended = await endApplicationRun(
      tenant,
      { runId: older.runId, actor: systemActor, from: ['queued'] },
      {
        phase: 'canceled',
        reason: 'superseded',
        message: `Run ${number} of a newer push took its place.`,
      },
    )
    const workflowId = applicationRunId({ organizationId, pipelineRunId: older.runId })
    if (ended) await outbox(tenant).wake(workflowId, `superseded:${workflowId}:${number}`)
  }
}
