import type { Tenant } from '../../store/driver/tenant.ts'
import { may, type Caller } from '../../domain/access/caller.ts'
import { approverRefusals } from '../../domain/pipelines/approver-fault.ts'
import { isTerminal, isWaitingForApproval } from '../../domain/pipelines/run-state.ts'
import { approvers } from '../../store/pipelines/approvers.ts'
import type { WorkspaceRun } from '../../store/pipelines/workspace-runs.ts'

const acts = ['mayApprove', 'mayReject', 'mayCancel'] as const
type Act = (typeof acts)[number]

export type MayDecide = Record<Act, boolean> & { because: Partial<Record<Act, string>> }

/**
 * What the caller may do with a run now, and for what they may not, the code of the refusal. The
 * console shows its buttons by this, so it needs no rule of its own.
 */
export async function mayDecide(
  tenant: Tenant,
  caller: Caller,
  run: WorkspaceRun,
): Promise<MayDecide> {
  const able = may(caller, 'mutate_infra')
  const waits = isWaitingForApproval(run.phase)
  const because: MayDecide['because'] = {}
  for (const act of acts)
    if (!able) because[act] = 'forbidden'
    else if (act === 'mayCancel' ? isTerminal(run.phase) : !waits) because[act] = 'run_not_waiting'
  if (able && waits) {
    const fault = await approvers(tenant).faultOfCaller(run.id, caller)
    if (fault) because.mayApprove = approverRefusals[fault].code
  }
  const allowed = (act: Act) => because[act] === undefined
  return {
    mayApprove: allowed('mayApprove'),
    mayReject: allowed('mayReject'),
    mayCancel: allowed('mayCancel'),
    because,
  }
}
