import { createRun, type RunCreation } from '../../app/runs/create-run.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { actorOf } from '../../store/audit/audit-log.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { approvers } from '../../store/runs/approvers.ts'
import type { WorkspaceRun } from '../../store/runs/workspace-runs.ts'
import type { Workspace } from '../../store/workspaces/workspaces.ts'
import { presentRuns } from './present-runs.ts'
import type { RunAnswer } from './schemas.ts'

export type WorkspaceRunToBegin = Omit<RunCreation, 'origin' | 'author' | 'actor' | 'deploymentId'>

/** A run that a member starts: its author is the caller. The workspace's row is locked. */
export async function beginWorkspaceRun(
  tenant: Tenant,
  caller: Caller,
  creation: WorkspaceRunToBegin,
): Promise<RunAnswer> {
  const { workspace } = creation
  const { run, place } = await createRun(tenant, {
    ...creation,
    origin: 'person',
    author: {
      userId: caller.userId,
      tokenId: caller.kind === 'token' ? caller.credentialId : null,
    },
    actor: actorOf(caller),
  })
  const [body] = await presentRuns(tenant, caller, { places: [place] })
  if (!body) throw new Error('a run that was just made is gone')
  return { run: body, ...(await warningsOf(tenant, { run, workspace })) }
}

async function warningsOf(
  tenant: Tenant,
  { run, workspace }: { run: WorkspaceRun; workspace: Workspace },
): Promise<{ warnings?: string[] }> {
  if (workspace.criticality !== 'production' || run.kind !== 'apply') return {}
  const able = await approvers(tenant).eligibleOf([run.id])
  return able.length === 0 ? { warnings: ['no_eligible_approver'] } : {}
}
