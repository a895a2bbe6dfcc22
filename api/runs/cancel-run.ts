import type { Caller } from '../../domain/access/caller.ts'
import { actorOf } from '../../store/audit/audit-log.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { cancelApplicationRun } from '../../app/runs/cancel-application-run.ts'
import { cancelWorkspaceRun } from '../../app/runs/cancel-workspace-run.ts'
import type { RunPlace } from './present-runs.ts'

/** Cancels a run of either kind, as its caller asks. */
export async function cancelRun(
  tenant: Tenant,
  caller: Caller,
  {
    run: { id, workspaceRunId },
    comment,
  }: { run: Pick<RunPlace, 'id' | 'workspaceRunId'>; comment?: string | undefined },
): Promise<void> {
  const actor = actorOf(caller)
  if (workspaceRunId === null) return cancelApplicationRun(tenant, { runId: id, actor, comment })
  await cancelWorkspaceRun(tenant, { workspaceRunId, actor, userId: caller.userId, comment })
}
