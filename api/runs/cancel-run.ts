import type { Caller } from '../../domain/access/caller.ts'
import { actorOf } from '../../store/audit/audit-log.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { cancelWorkspaceRun } from '../../app/runs/cancel-workspace-run.ts'

/** Cancels a run of a workspace, as its caller asks. */
export const cancelRun = async (
  tenant: Tenant,
  caller: Caller,
  asked: { workspaceRunId: number; comment?: string | undefined },
): Promise<void> =>
  cancelWorkspaceRun(tenant, { ...asked, actor: actorOf(caller), userId: caller.userId })
