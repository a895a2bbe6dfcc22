import type { CostFinding, CostVerdict } from '../judge-cost.ts'
import type { Budget, BudgetFigures, BudgetState } from './budget.ts'
import type { PlanReach } from './plan-reach.ts'

export type StatedBudget = Pick<Budget, 'id' | 'name' | 'amountMonthly' | 'overBudget'> & {
  currency: string
  state: BudgetState
  figures: Pick<BudgetFigures, 'actual' | 'forecast'>
}

/** A finding of the cost gate about a budget. */
export type BudgetFinding = CostFinding & {
  level: 'warn'
  budget: { id: number; name: string }
  /** The plan brings its forecast, or what is spent, to the amount or over it; false where that is not known. */
  breaks: boolean
}

export type BudgetVerdict = {
  /** Whether a second person must approve the plan. */
  holds: boolean
  findings: BudgetFinding[]
}

/**
 * Judges what a plan changes in the scopes of budgets. One with `overBudget: approve` holds the run where
 * the plan breaks it, and where that cannot be told: the plan's delta, the forecast or the state of the
 * budget is unknown.
 */
export function judgeReach(
  reach: readonly PlanReach[],
  budgets: readonly StatedBudget[],
): BudgetVerdict {
  const findings = reach.flatMap(({ budgetId, delta }) => {
    const budget = budgets.find(({ id }) => id === budgetId)
    // Deleted since.
    if (!budget) return []
    const { breaks, why } = whyOver(budget, delta)
    const holds = why !== undefined && budget.overBudget === 'approve'
    if (why === undefined || !(breaks || holds)) return []
    const message = `${why}${holds ? ' A second person must approve the plan.' : ''}`
    const { id, name } = budget
    return { holds, finding: { level: 'warn' as const, message, budget: { id, name }, breaks } }
  })
  return {
    holds: findings.some(({ holds }) => holds),
    findings: findings.map(({ finding }) => finding),
  }
}

function whyOver(
  { name, amountMonthly, currency, state, figures: { actual, forecast } }: StatedBudget,
  delta: string | null,
): { breaks: boolean; why?: string } {
  const money = (amount: number) => `${amount.toFixed(2)} ${currency}`
  const amount = Number(amountMonthly)
  const of = `The budget ${name} of ${money(amount)} a month`
  if (state === 'unknown') return { breaks: false, why: `${of} has no certain cost this month.` }
  const change = changeInWords(delta, money)
  if (!forecast) {
    const spent = Number(actual)
    // As where a bill is late. What is spent reaches the amount, so the month's end does too.
    if (state === 'exceeded' && spent + Number(delta ?? 0) >= amount)
      return {
        breaks: true,
        why: `${of} is exceeded: ${money(spent)} are spent this month${change}.`,
      }
    return { breaks: false, why: `${of} has no forecast yet.` }
  }
  const expected = `${money(forecast.amount)} are expected this month`
  if (delta === null)
    return { breaks: forecast.amount >= amount, why: `${of}: ${expected}${change}.` }
  if (forecast.amount + Number(delta) < amount) return { breaks: false }
  return { breaks: true, why: `${of} would be reached: ${expected}${change}.` }
}

function changeInWords(delta: string | null, money: (amount: number) => string): string {
  if (delta === null) return ', and the plan changes resources in its scope that have no price'
  const change = Number(delta)
  if (change === 0) return ''
  return ` and the plan ${change > 0 ? 'adds' : 'saves'} ${money(Math.abs(change))} a month`
}

/** Of one run: each page of runs has all of them, and the comment on a pull request names those that break. */
export const maxBudgetFindings = 20

type Gate = { kind: string; result: CostVerdict['result']; findings: unknown[] }

/** The gates of a plan with these findings about budgets in place of those of an earlier judgement. */
export function withBudgetFindings(
  gates: readonly unknown[],
  findings: readonly BudgetFinding[],
): unknown[] {
  const shown = findings
    .toSorted((a, b) => Number(b.breaks) - Number(a.breaks))
    .slice(0, maxBudgetFindings)
  // Made by runner/judge-plan.ts.
  return (gates as Gate[]).map((gate) => {
    if (gate.kind !== 'cost') return gate
    const others = gate.findings.filter((finding) => !isOfBudget(finding))
    const result = gate.result === 'pass' && findings.length > 0 ? 'warn' : gate.result
    return { ...gate, result, findings: [...others, ...shown] }
  })
}

const isOfBudget = (finding: unknown): finding is BudgetFinding =>
  typeof finding === 'object' && finding !== null && 'budget' in finding

/** The findings about budgets among those of a plan's gates. */
export const budgetFindingsOf = (gates: readonly unknown[]): BudgetFinding[] =>
  // Made by `withBudgetFindings`.
  (gates as Gate[]).flatMap(({ findings }) => findings.filter(isOfBudget))
