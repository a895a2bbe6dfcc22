import type { ListedRun } from '../api/types.ts'

/**
 * What happens to a run when this person saves a policy that judges it: who saves it is one of the
 * run's authors from then on. Undefined for a run that waits for nobody.
 */
export function effectOn(run: ListedRun, me: string): string | undefined {
  const approved = approverOf(run)
  const waits = run.awaitingApproval || run.awaitingPlanApproval
  if (!waits && approved === undefined) return undefined
  const again =
    approved === undefined
      ? ''
      : `The approval by ${approved} no longer counts, and it waits again. `
  if (run.approval?.rule === 'confirm') return `${again}Its plan can be confirmed as before.`
  const others = (run.blockedBy?.whoCanAct ?? []).filter(
    (person) => person !== me && !person.endsWith(`(${me})`),
  )
  const mine = run.mayApprove ? 'You can no longer approve it. ' : ''
  if (approved !== undefined) return `${again}You cannot approve it.`
  if (others.length === 0)
    return `${mine}Nobody else may approve it now, and a person whom you invite cannot approve it either.`
  const { length } = others
  const names = others.slice(0, 2).join(', ')
  return `${mine}${names}${length > 2 ? ` and ${length - 2} more` : ''} can approve it.`
}

/** Who approved the plan of a run that is not applied yet. */
function approverOf({ stages, approvals }: ListedRun): string | undefined {
  const apply = stages.find(({ name }) => name === 'apply')
  if (!apply || apply.state === 'running' || apply.endedAt !== null) return undefined
  return approvals.find(
    ({ stage, decision, void: isVoid }) =>
      stage === 'approve' && decision === 'approved' && isVoid === undefined,
  )?.user
}
