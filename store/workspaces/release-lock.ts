import { infrastructureRunId } from '../../workflows/pipelines/contract.ts'
import type { Db } from '../connect.ts'
import { outbox } from '../outbox/outbox.ts'
import { promoteNext } from '../pipelines/promote-next.ts'
import { workspaceRuns } from '../pipelines/workspace-runs.ts'
import { workspaceLocks } from './workspace-locks.ts'

/** Releases a workspace's lock and starts what it held back. The caller holds the workspace's row. */
export async function releaseLock(
  db: Db,
  organizationId: number,
  workspaceId: number,
): Promise<void> {
  await workspaceLocks(db, organizationId).release(workspaceId)
  await promoteNext(db, organizationId, workspaceId)
  const holder = await workspaceRuns(db, organizationId).holderOfTurn(workspaceId)
  if (holder?.phase !== 'apply_queued') return
  const workflowId = infrastructureRunId({ organizationId, runId: holder.id })
  await outbox(db, organizationId).wake(workflowId, `unlock:${workflowId}:${Date.now()}`)
}
