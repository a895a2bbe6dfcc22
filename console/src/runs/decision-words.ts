import type { RunDetail } from '../api/types.ts'
import { summaryInWords } from './summary-words.ts'

export type Choice = 'approve' | 'reject'

/** What is decided, as it was when the dialog opened. */
export type DecisionOf = { choice: Choice; beforePlan: boolean; onlyConfirm: boolean }

/** Anybody who may start runs may confirm the plan, its author too. */
export const isConfirmation = ({ awaitingApproval, approval }: RunDetail): boolean =>
  awaitingApproval && approval?.rule === 'confirm'

type Words = { title: string; act: string; tone: 'primary' | 'danger' }

/** The heading and the button of a decision. */
export function decisionWords(
  { configurationVersion, destroy }: RunDetail,
  { workspace, of: { choice, beforePlan, onlyConfirm } }: { workspace: string; of: DecisionOf },
): Words {
  if (choice === 'reject') {
    const what = beforePlan ? 'run' : 'plan'
    return { title: `Reject this ${what}?`, act: `Reject the ${what}`, tone: 'danger' }
  }
  if (beforePlan)
    return {
      title: `Let version ${configurationVersion} of the files be planned in ${workspace}?`,
      act: 'Let it be planned',
      tone: 'primary',
    }
  const verb = onlyConfirm ? 'Confirm' : 'Approve'
  return {
    title: `${verb} and ${destroy ? `destroy the resources of` : 'apply to'} ${workspace}?`,
    act: `${verb} and ${destroy ? 'destroy' : 'apply'}`,
    tone: destroy ? 'danger' : 'primary',
  }
}

/** The changes of the plan, or why its files are looked at first. */
export function whatItDoes({
  summary,
  destroy,
  awaitingPlanApproval,
  mayApprove,
  blockedBy,
}: RunDetail): string {
  if (awaitingPlanApproval)
    return `${blockedBy?.reason ?? ''} The plan runs the code of the files with the secrets of a production workspace, so ${mayApprove ? 'look at the files before you let it be planned' : 'a second person looks at the files first'}.`
  if (!summary) return ''
  return `${destroy ? 'It destroys what the workspace has: ' : ''}${summaryInWords(summary, 'planned')}.`
}
