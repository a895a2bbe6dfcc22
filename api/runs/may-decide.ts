import { may, type Caller } from '../../domain/access/caller.ts'
import { approverRefusals, type ApproverFault } from '../../domain/runs/approver-fault.ts'
import { isTerminal, isWaitingForApproval } from '../../domain/runs/run-state.ts'
import type { WorkspaceRun } from '../../store/runs/workspace-runs.ts'

const acts = ['mayApprove', 'mayReject', 'mayCancel'] as const
type Act = (typeof acts)[number]

export type MayDecide = Record<Act, boolean> & { because: Partial<Record<Act, string>> }

/** Whether the caller's fault as an approver is needed for `mayDecide`. */
export const needsFault = (caller: Caller, { phase }: Pick<WorkspaceRun, 'phase'>): boolean =>
  may(caller, 'mutate_infra') && isWaitingForApproval(phase)

/**
 * What the caller may do with a run now, and for what they may not, the code of the refusal. The
 * console shows its buttons by this, so it needs no rule of its own. `fault` is why the caller may
 * not approve this run (store/runs/approvers.ts).
 */
export function mayDecide(
  caller: Caller,
  { phase }: Pick<WorkspaceRun, 'phase'>,
  fault: ApproverFault | undefined,
): MayDecide {
  const able = may(caller, 'mutate_infra')
  const waits = isWaitingForApproval(phase)
  const because: MayDecide['because'] = {}
  for (const act of acts)
    if (!able) because[act] = 'forbidden'
    else if (act === 'mayCancel' ? isTerminal(phase) : !waits) because[act] = 'run_not_waiting'
  if (able && waits && fault) because.mayApprove = approverRefusals[fault].code
  const allowed = (act: Act) => because[act] === undefined
  return {
    mayApprove: allowed('mayApprove'),
    mayReject: allowed('mayReject'),
    mayCancel: allowed('mayCancel'),
    because,
  }
}
