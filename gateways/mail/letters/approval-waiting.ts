import type { PresentedCost } from '../../../domain/finops/present-cost.ts'
import type { PlanSummary } from '../../../domain/infrastructure/summarize-plan.ts'
import { letter, type Letter, type Part } from '../letter.ts'

export type WaitingRun = {
  runUrl: string
  organizationName: string
  workspaceName: string
  author: string
  destroy: boolean
  /** The run waits for an approval of its files, before its plan. */
  beforePlan?: boolean
  /** Anybody who may start runs may confirm the plan, its author too. */
  onlyConfirm?: boolean
  summary: Pick<PlanSummary, 'import' | 'add' | 'change' | 'destroy'> | null
  cost: PresentedCost | null
  /** What the cost gate says of budgets that hold the run. */
  budgets?: string[]
  waitsUntil: Date | null
}

/** Contains the counts of the plan and a link, and no detail: a mailbox must not hold what a plan contains. */
export function approvalWaitingLetter(run: WaitingRun): Letter {
  const { summary, cost, budgets = [], waitsUntil, onlyConfirm = false } = run
  const what = run.destroy ? 'A run that destroys all resources' : 'A run'
  const parts: Part[] = [
    `${what} in the workspace ${run.workspaceName} (${run.organizationName}), started by ${run.author}, waits for ${onlyConfirm ? 'a confirmation of its plan' : 'approval by another person'}. You can ${onlyConfirm ? 'confirm' : 'approve'} or reject it.`,
  ]
  if (run.beforePlan)
    parts.push(
      'The run is not planned yet. Its plan runs code that only its author has seen, with the secrets of a production workspace. Review the files before you approve.',
    )
  if (summary)
    parts.push(
      `Plan: ${summary.import > 0 ? `${summary.import} to import, ` : ''}${summary.add} to add, ${summary.change} to change, ${summary.destroy} to destroy.`,
    )
  if (cost) parts.push(costInWords(cost))
  parts.push(...budgets)
  parts.push({ link: run.runUrl, label: 'Open the run' })
  if (waitsUntil)
    parts.push(
      `The run waits until ${waitsUntil.toISOString()}. Without an approval by then, it fails and changes nothing.`,
    )
  const wanted = onlyConfirm ? 'confirmation' : 'approval'
  return letter(`A run in ${run.workspaceName} waits for your ${wanted}`, parts)
}

function costInWords({ delta, before, after, currency, coverage }: PresentedCost): string {
  const money = (amount: number) => `${amount.toFixed(2)} ${currency}`
  const change =
    delta === 0
      ? `The monthly cost stays at ${money(after)}.`
      : `The monthly cost ${delta > 0 ? 'rises' : 'falls'} by ${money(Math.abs(delta))}, from ${money(before)} to ${money(after)}.`
  const { unpriced } = coverage
  if (unpriced === 0) return change
  return `${change} ${unpriced} ${unpriced === 1 ? 'resource has' : 'resources have'} no price and ${unpriced === 1 ? 'is' : 'are'} not included.`
}
