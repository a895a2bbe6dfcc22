import type { Tenant } from '../../store/driver/tenant.ts'
import { versionsOfRuns, type RunVersion } from '../../store/pipelines/versions-of-runs.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { publicState } from '../../domain/pipelines/run-state.ts'
import { approvals, type Approval } from '../../store/pipelines/approvals.ts'
import { pipelineRuns } from '../../store/pipelines/pipeline-runs.ts'
import { stages, type Stage } from '../../store/pipelines/stages.ts'
import { workspaceRuns, type WorkspaceRun } from '../../store/pipelines/workspace-runs.ts'
import { users } from '../../store/users/users.ts'
import { infrastructureRunId } from '../../workflows/pipelines/contract.ts'
import { blockedBy } from './blocked-by.ts'
import { mayDecide } from './may-decide.ts'
import type { RunBody } from './schemas.ts'

export type RunPlace = { id: number; number: number | null; workspaceRunId: number }

/**
 * Workspace runs as callers see them, each with the id and number of the place it was addressed by,
 * and with what this caller may do. Without `places`: under `provision-<workspace>`.
 */
export async function presentRuns(
  tenant: Tenant,
  caller: Caller,
  { runIds, places }: { runIds: readonly number[]; places?: readonly RunPlace[] },
): Promise<RunBody[]> {
  const { organizationId } = caller
  const runs = await workspaceRuns(tenant).many(runIds)
  const [allStages, allApprovals, authors, versions] = [
    await stages(tenant).ofRuns(runIds),
    await approvals(tenant).ofRuns(runIds),
    await users(tenant).listByIds([
      ...new Set(runs.flatMap(({ authorUserId: id }) => (id === null ? [] : [id]))),
    ]),
    await versionsOfRuns(tenant, runs),
  ]
  const at = places ?? (await managedPlaces(tenant, runIds))
  const bodies: RunBody[] = []
  for (const place of at) {
    const run = runs.find(({ id }) => id === place.workspaceRunId)
    if (!run) continue
    const version = versions.get(run.configurationVersionId)
    const author = authors.find(({ id }) => id === run.authorUserId)
    bodies.push({
      ...presentRun(run, place, organizationId),
      author: {
        id: run.authorUserId,
        label:
          run.authorUserId === null
            ? originOf(version)
            : (author?.email ?? author?.name ?? 'a former member'),
      },
      configurationVersion: version?.number ?? 0,
      configurationSha256: version?.filesSha256 ?? '',
      commitSha: version?.commitSha ?? null,
      pullRequest: version?.pullRequest ?? null,
      blockedBy: await blockedBy(tenant, run),
      ...(await mayDecide(tenant, caller, run)),
      stages: allStages
        .filter(({ workspaceRunId }) => workspaceRunId === run.id)
        .map((stage) => presentStage(stage, run)),
      approvals: allApprovals
        .filter(({ workspaceRunId }) => workspaceRunId === run.id)
        .map(presentApproval),
    })
  }
  return bodies
}

/** Plan-only runs are in no pipeline and have no number; a run of `provision-…` has its workspace run's id. */
async function managedPlaces(tenant: Tenant, runIds: readonly number[]): Promise<RunPlace[]> {
  const places = await pipelineRuns(tenant).ofWorkspaceRuns(runIds)
  return runIds.map((id) => ({
    id,
    workspaceRunId: id,
    number: places.find((place) => place.id === id)?.number ?? null,
  }))
}

function presentRun(run: WorkspaceRun, place: RunPlace, organizationId: number) {
  return {
    id: place.id,
    number: place.number,
    kind: run.kind,
    destroy: run.destroy,
    state: publicState(run.phase),
    reason: run.reason,
    message: run.message,
    awaitingApproval: run.phase === 'awaiting_approval',
    awaitingPlanApproval: run.phase === 'awaiting_plan_approval',
    planDigest: run.planDigest,
    // Written by recordPlan alone, in this shape.
    summary: run.summary as RunBody['summary'],
    cost: run.cost,
    ...(run.found && { found: run.found }),
    workspaceId: run.workspaceId,
    workflowId: infrastructureRunId({ organizationId, runId: run.id }),
    approvalExpiresAt: run.approvalExpiresAt?.toISOString() ?? null,
    createdAt: run.createdAt.toISOString(),
    startedAt: run.startedAt?.toISOString() ?? null,
    endedAt: run.endedAt?.toISOString() ?? null,
  }
}

const presentStage = (stage: Stage, run: WorkspaceRun): RunBody['stages'][number] => ({
  name: stage.name,
  state: stage.state,
  startedAt: stage.startedAt?.toISOString() ?? null,
  endedAt: stage.endedAt?.toISOString() ?? null,
  ...(stage.by !== null && { by: stage.by }),
  // Written by recordPlan alone, in this shape.
  ...(stage.name === 'plan' && {
    gates: run.gates as NonNullable<RunBody['stages'][number]['gates']>,
  }),
})

const presentApproval = (approval: Approval): RunBody['approvals'][number] => ({
  user: approval.user,
  decision: approval.decision,
  stage: approval.stage,
  at: approval.at.toISOString(),
  comment: approval.comment,
  planDigest: approval.planDigest,
  ...(approval.voidedAt && {
    void: { at: approval.voidedAt.toISOString(), reason: approval.voidReason ?? '' },
  }),
})

const originOf = (version: RunVersion | undefined): string =>
  version?.pullRequest == null
    ? `push of ${version?.commitSha?.slice(0, 7) ?? 'a commit'}`
    : `pull request #${version.pullRequest}`
