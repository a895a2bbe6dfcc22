import type { PresentedCost } from '../../../domain/finops/present-cost.ts'
import type { PlanSummary } from '../../../domain/plans/summarize-plan.ts'
import { letter, type Letter, type Part } from '../letter.ts'

export type WaitingRun = {
  runUrl: string
  organizationName: string
  workspaceName: string
  author: string
  destroy: boolean
  /** The files must be looked at before they are planned. */
  beforePlan?: boolean
  summary: Pick<PlanSummary, 'add' | 'change' | 'destroy'> | null
  cost: PresentedCost | null
  waitsUntil: Date | null
}

/** Says what waits and where, never what a plan contains: mailboxes are not the place for it. */
export function approvalWaitingLetter(run: WaitingRun): Letter {
  const { summary, cost, waitsUntil } = run
  const what = run.destroy ? 'A run that destroys everything' : 'A run'
  const parts: Part[] = [
    `${what} in the workspace ${run.workspaceName} (${run.organizationName}), started by ${run.author}, waits for somebody else's approval. You may give it.`,
  ]
  if (run.beforePlan)
    parts.push(
      'Nothing is planned yet: its plan runs code that only its author has seen, with the secrets of a production workspace. Look at the files first.',
    )
  if (summary)
    parts.push(`It adds ${summary.add}, changes ${summary.change} and destroys ${summary.destroy}.`)
  if (cost) parts.push(costInWords(cost))
  parts.push({ link: run.runUrl, label: 'Look at the run' })
  if (waitsUntil)
    parts.push(`Without an approval by ${waitsUntil.toISOString()} it fails, and changes nothing.`)
  return letter(`${run.workspaceName} waits for your approval`, parts)
}

function costInWords({ delta, before, after, currency, coverage }: PresentedCost): string {
  const money = (amount: number) => `${amount.toFixed(2)} ${currency}`
  const change =
    delta === 0
      ? `The monthly cost stays at ${money(after)}.`
      : `The monthly cost ${delta > 0 ? 'rises' : 'falls'} by ${money(Math.abs(delta))}, from ${money(before)} to ${money(after)}.`
  const { unpriced } = coverage
  if (unpriced === 0) return change
  return `${change} ${unpriced} ${unpriced === 1 ? 'resource has' : 'resources have'} no price and ${unpriced === 1 ? 'is' : 'are'} not in it.`
}
