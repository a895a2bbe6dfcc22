import { approvalRuleOf } from '../../domain/runs/approval-reason.ts'
import { publicState } from '../../domain/runs/run-state.ts'
import type { NewestRun } from '../../store/pipelines/managed-pipelines.ts'
import { labelOfAuthor } from '../runs/label-of-author.ts'
import { presentOrigin } from '../runs/present-origin.ts'
import type { WorkspaceLastRunBody } from './schemas.ts'

/** The newest run of a workspace that can apply, as lists of workspaces show it. */
export function presentNewestRun(run: NewestRun): WorkspaceLastRunBody {
  const { phase } = run
  const rule = phase === 'awaiting_plan_approval' ? undefined : approvalRuleOf(run.approvalReasons)
  return {
    id: run.id,
    number: run.number,
    state: publicState(phase),
    ...(phase === 'awaiting_approval' && { awaitingApproval: true }),
    ...(phase === 'awaiting_plan_approval' && { awaitingPlanApproval: true }),
    queued: phase === 'queued',
    reason: run.reason,
    approval: rule ? { rule } : null,
    destroy: run.destroy,
    // Written by recordPlan alone, in this shape.
    summary: run.summary as WorkspaceLastRunBody['summary'],
    origin: presentOrigin(run),
    author: { id: run.authorUserId, label: labelOfAuthor(run) },
    commitSha: run.commitSha,
    pullRequest: run.pullRequest,
    createdAt: run.createdAt.toISOString(),
    endedAt: run.endedAt?.toISOString() ?? null,
  }
}
