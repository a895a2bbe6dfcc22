import type { Tenant } from '../../store/driver/tenant.ts'
import { infrastructureRunId } from '../../workflows/infrastructure/contract.ts'
import { outbox } from '../../store/outbox/outbox.ts'
import { promoteNext } from '../runs/promote-next.ts'
import { workspaceRuns } from '../../store/runs/workspace-runs.ts'
import { workspaceLocks } from '../../store/workspaces/workspace-locks.ts'

/** Releases a workspace's lock and starts what it held back. The caller holds the workspace's row. */
export async function releaseLock(tenant: Tenant, workspaceId: number): Promise<void> {
  const { organizationId } = tenant

  await workspaceLocks(tenant).release(workspaceId)
  await promoteNext(tenant, workspaceId)
  const holder = await workspaceRuns(tenant).holderOfTurn(workspaceId)
  if (holder?.phase !== 'apply_queued') return
  const workflowId = infrastructureRunId({ organizationId, workspaceRunId: holder.id })
  await outbox(tenant).wake(workflowId, `unlock:${workflowId}:${Date.now()}`)
}
