import type { Tenant } from '../../store/driver/tenant.ts'
import { approvalExpiry } from '../../domain/runs/approval-expiry.ts'
import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import { mailApprovers } from './mail-approvers.ts'
import type { OrganizationSettings } from '../../store/organizations/settings.ts'
import { variablesDigest } from '../../domain/runs/variables-digest.ts'
import { workspaceVariables } from '../../store/workspaces/workspace-variables.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import { approvals } from '../../store/runs/approvals.ts'
import { runOverrides } from '../../store/runs/run-overrides.ts'
import { stages } from '../../store/runs/stages.ts'
import { workspaceRuns, type WorkspaceRun } from '../../store/runs/workspace-runs.ts'

/**
 * With `planApproval: unseen`, a production run waits for a second person before it is planned, unless somebody but
 * their authors has approved its files with the values that it gets, because a plan runs its author's code with the
 * workspace's secrets, and values can choose that code. What was looked at is noted on the run, and the plan is made of
 * nothing else (plan-run.ts). It has no workflow, token or sandbox yet, holds no turn and takes no place, so other
 * runs of the workspace go on. True if it waits now. The workspace's row must be locked.
 */
export async function parkUnseen(
  tenant: Tenant,
  run: WorkspaceRun,
  settings: OrganizationSettings,
): Promise<boolean> {
  if (settings.planApproval !== 'unseen') return goOn(tenant, run, null)
  const { criticality, name, path } = await workspaces(tenant).get(run.workspaceId)
  if (criticality !== 'production') return goOn(tenant, run, null)
  const digest = variablesDigest({
    variables: await workspaceVariables(tenant).macs(run.workspaceId),
    overridesMac: await runOverrides(tenant).mac(run.id),
    folder: path,
  })
  const because = await approvals(tenant).unseenBecause(run, digest)
  if (because === null) return goOn(tenant, run, digest)
  // Of values that the run no longer has: it would stand in the way of a new one.
  const isAgain = await approvals(tenant).voidStanding(run.id, 'the variables changed', 'plan')
  const moved = await workspaceRuns(tenant).move(run.id, ['queued'], {
    phase: 'awaiting_plan_approval',
    approvalExpiresAt: approvalExpiry(settings, new Date()),
    variablesDigest: digest,
    unseenBecause: because,
  })
  if (!moved) return true
  await stages(tenant).set(run.id, 'plan', { state: 'waiting' })
  await auditLog(tenant, systemActor).record('pipeline.awaiting_plan_approval', {
    target: { kind: 'run', id: run.id, label: name },
    detail: { workspaceId: run.workspaceId, kind: run.kind, because },
  })
  // A person gets one mail for each stage. Other values are another stage, so that they are mailed once too.
  await mailApprovers(tenant, run, isAgain ? `plan ${digest.slice(0, 12)}` : 'plan')
  await workspaceRuns(tenant).announce(run.id)
  return true
}

/** Notes what the plan is bound to. Null where it is bound to nothing: the setting or the criticality may have changed. */
async function goOn(tenant: Tenant, run: WorkspaceRun, digest: string | null): Promise<false> {
  if (run.variablesDigest !== digest)
    await workspaceRuns(tenant).patch(run.id, { variablesDigest: digest })
  return false
}
