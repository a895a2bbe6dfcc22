import type { Tenant } from '../../store/driver/tenant.ts'
import { infrastructureRunId } from '../../workflows/infrastructure/contract.ts'
import type { AuditActor } from '../../store/audit/audit-log.ts'
import { outbox } from '../../store/outbox/outbox.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import { approvals } from '../../store/runs/approvals.ts'
import { approvers } from '../../store/runs/approvers.ts'
import { lockApplication } from '../../store/runs/move-application.ts'
import { releaseApprovals } from '../../store/runs/release-approvals.ts'
import { releases } from '../../store/runs/releases.ts'
import { mailConfirmers } from './mail-approvers.ts'
import { sendBackRelease } from './send-back-release.ts'
import { sendBackRun } from './send-back-run.ts'
import { workspaceRuns } from '../../store/runs/workspace-runs.ts'

/**
 * Voids approvals whose giver could not give them now; their runs wait for another. A confirmation that only such a
 * person was asked for is asked of others. Called after a
 * change that takes a role or membership away, in its transaction. Looks at every run between
 * approval and apply (docs/runs.md, "What voids an approval").
 */
export async function voidUnableApprovals(tenant: Tenant, actor: AuditActor): Promise<void> {
  const { organizationId } = tenant

  for (const { workspaceRunId, workspaceId } of await approvals(tenant).runsBeforeApply()) {
    await workspaces(tenant).getForUpdate(workspaceId)
    const fault = await faultOfStanding(tenant, workspaceRunId)
    if (!fault) continue
    const because = `approver: ${fault}`
    await sendBackRun(tenant, { workspaceRunId, actor, because })
    const workflowId = infrastructureRunId({ organizationId, workspaceRunId })
    await outbox(tenant).wake(workflowId, `void:${workflowId}:${Date.now()}`)
  }
  for (const { runId, pipelineId } of await releaseApprovals(tenant).beforeDeploy())
    await voidUnableRelease(tenant, { runId, pipelineId, actor })
  await mailConfirmers(tenant)
}

/** The same of a release that is approved and not deployed yet. */
async function voidUnableRelease(
  tenant: Tenant,
  { runId, pipelineId, actor }: { runId: number; pipelineId: number; actor: AuditActor },
): Promise<void> {
  await releases(tenant).holdPipeline(pipelineId)
  const { phase } = await lockApplication(tenant, runId)
  const standing = await releaseApprovals(tenant).standing(runId)
  if (phase !== 'deploy_queued' || !standing) return
  const fault = await approvers(tenant).faultOfGiver({ workspaceRunId: runId, ...standing })
  if (fault) await sendBackRelease(tenant, { runId, actor, because: `approver: ${fault}` })
}

async function faultOfStanding(tenant: Tenant, workspaceRunId: number) {
  // Read again under the workspace's lock: the apply may have begun.
  const run = await workspaceRuns(tenant).get(workspaceRunId)
  const standing = await approvals(tenant).standing(workspaceRunId)
  if (run.phase !== 'apply_queued' || !standing) return undefined
  return approvers(tenant).faultOfGiver(standing)
}
