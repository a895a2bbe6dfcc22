import type { Tenant } from '../../store/driver/tenant.ts'
import type { Caller } from '../../domain/access/caller.ts'
import {
  boundFindings,
  maxListedBytes,
  type Finding,
} from '../../domain/policies/bound-findings.ts'
import { approvalRuleOf } from '../../domain/runs/approval-reason.ts'
import { publicState } from '../../domain/runs/run-state.ts'
import { approvers } from '../../store/runs/approvers.ts'
import { pipelineRuns } from '../../store/runs/pipeline-runs.ts'
import { moreFindings } from '../../store/runs/gates-of-list.ts'
import { runViews, type RunView } from '../../store/runs/run-views.ts'
import { infrastructureRunId } from '../../workflows/infrastructure/contract.ts'
import { blockedBy } from './blocked-by.ts'
import { labelOfAuthor } from './label-of-author.ts'
import { presentApplicationRuns } from './present-application-runs.ts'
import { presentOrigin } from './present-origin.ts'
import { presentStage } from './present-stage.ts'
import { mayDecide, needsFault } from './may-decide.ts'
import type { RunBody } from './schemas.ts'

/** `workspaceRunId` is null for a run of an application, whose id is its own. */
export type RunPlace = { id: number; number: number | null; workspaceRunId: number | null }

/**
 * Runs as callers see them, each with the id and number of the place it was addressed by,
 * and with what this caller may do. Without `places`: under `provision-<workspace>`. Of several runs each
 * gate has its first findings.
 */
export async function presentRuns(
  tenant: Tenant,
  caller: Caller,
  runs: { workspaceRunIds: readonly number[] } | { places: readonly RunPlace[] },
): Promise<RunBody[]> {
  const { organizationId } = caller
  const workspaceRunIds =
    'places' in runs
      ? runs.places.flatMap(({ workspaceRunId }) => workspaceRunId ?? [])
      : runs.workspaceRunIds
  const [views, at] = await Promise.all([
    runViews(tenant, workspaceRunIds),
    'places' in runs ? runs.places : managedPlaces(tenant, workspaceRunIds),
  ])
  const decidable = views.filter((view) => needsFault(caller, view)).map(({ id }) => id)
  const [blocks, faults, applications] = await Promise.all([
    blockedBy(tenant, views),
    approvers(tenant).faultsOfCaller(decidable, caller),
    presentApplicationRuns(tenant, caller, at),
  ])
  return at.flatMap((place) => {
    if (place.workspaceRunId === null) return applications.get(place.id) ?? []
    const view = views.find(({ id }) => id === place.workspaceRunId)
    if (!view) return []
    return {
      ...presentRun(at.length > 1 ? shortened(view) : view, place, organizationId),
      blockedBy: blocks.get(view.id) ?? null,
      ...mayDecide(caller, view, faults.get(view.id)),
    }
  })
}

/** Plan-only runs are in no pipeline and have no number; a run of `provision-…` has its workspace run's id. */
async function managedPlaces(
  tenant: Tenant,
  workspaceRunIds: readonly number[],
): Promise<RunPlace[]> {
  const places = await pipelineRuns(tenant).ofWorkspaceRuns(workspaceRunIds)
  return workspaceRunIds.map((id) => ({
    id,
    workspaceRunId: id,
    number: places.find((place) => place.id === id)?.number ?? null,
  }))
}

function presentRun(view: RunView, place: RunPlace, organizationId: number) {
  const { version, stages, approvals } = view
  return {
    id: place.id,
    number: place.number,
    kind: view.kind,
    destroy: view.destroy,
    state: publicState(view.phase),
    reason: view.reason,
    message: view.startMessage,
    endMessage: view.message,
    approvalReasons: view.approvalReasons,
    approval: presentRule(view),
    awaitingApproval: view.phase === 'awaiting_approval',
    awaitingPlanApproval: view.phase === 'awaiting_plan_approval',
    planDigest: view.planDigest,
    // Written by recordPlan alone, in this shape.
    summary: view.summary as RunBody['summary'],
    cost: view.cost,
    ...(view.found && { found: view.found }),
    workspaceId: view.workspaceId,
    workflowId: infrastructureRunId({ organizationId, workspaceRunId: view.id }),
    approvalExpiresAt: view.approvalExpiresAt?.toISOString() ?? null,
    createdAt: view.createdAt.toISOString(),
    startedAt: view.startedAt?.toISOString() ?? null,
    endedAt: view.endedAt?.toISOString() ?? null,
    origin: presentOrigin({ ...view, ...version }),
    author: { id: view.authorUserId, label: labelOfAuthor({ ...view, ...version }) },
    configurationVersion: version.number,
    configurationSha256: version.filesSha256,
    commitSha: version.commitSha,
    ...(version.commitSha !== null && { commit: presentCommit(version.commitSha, version) }),
    pullRequest: version.pullRequest,
    stages: stages.map((stage) => presentStageOf(stage, view)),
    approvals: approvals.map(presentApproval),
  }
}

const presentCommit = (
  sha: string,
  { commitAuthor, commitMessage }: RunView['version'],
): NonNullable<RunBody['commit']> => ({
  sha,
  branch: null,
  tag: null,
  message: commitMessage || null,
  author: commitAuthor || null,
  at: null,
})

function presentRule({ phase, approvalReasons }: RunView): RunBody['approval'] {
  if (phase === 'awaiting_plan_approval') return { rule: 'second_operator' }
  const rule = approvalRuleOf(approvalReasons)
  return rule ? { rule } : null
}

/** A list of 200 runs has at most a megabyte of findings, and not six. */
function shortened(view: RunView): RunView {
  const more = (): Finding => ({ message: moreFindings })
  // Written by recordPlan alone, in this shape.
  const gates = view.gates as Array<{ findings: Finding[] }>
  return {
    ...view,
    gates: gates.map((gate) => ({
      ...gate,
      findings: boundFindings(gate.findings, more, maxListedBytes),
    })),
  }
}

const presentStageOf = (
  stage: RunView['stages'][number],
  run: RunView,
): RunBody['stages'][number] => ({
  ...presentStage(stage),
  // Written by recordPlan alone, in this shape.
  ...(stage.name === 'plan' && {
    gates: run.gates as NonNullable<RunBody['stages'][number]['gates']>,
  }),
})

const presentApproval = (approval: RunView['approvals'][number]): RunBody['approvals'][number] => ({
  user: approval.user,
  decision: approval.decision,
  stage: approval.stage,
  at: new Date(approval.at).toISOString(),
  comment: approval.comment,
  planDigest: approval.planDigest,
  ...(approval.voidedAt !== null && {
    void: { at: new Date(approval.voidedAt).toISOString(), reason: approval.voidReason ?? '' },
  }),
})
