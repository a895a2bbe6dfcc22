import { budgetNotices, type BudgetEvent } from '../../store/finops/budgets/budget-notices.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { announce } from '../notifications/announce.ts'
import { budgetStates, type BudgetWithState } from './budget-states.ts'

/**
 * Brings the states of all budgets up to date after the cost has changed, and tells of those that came to
 * warn or are exceeded: once a budget, month and event, also where several ingests end at once. Called in a
 * transaction after the swap. Idempotent.
 */
export async function evaluateBudgets(tenant: Tenant): Promise<void> {
  for (const budget of await budgetStates(tenant)) {
    const events = eventsOf(budget)
    if (events.length === 0) continue
    const noted = await budgetNotices(tenant).note(budget.id, { month: budget.month, events })
    const [event] = events
    if (event && noted.includes(event)) await tell(tenant, budget, event)
  }
}

/** The event to tell, first; one that is exceeded does not go on to warn when a bill is corrected. */
function eventsOf({ state }: BudgetWithState): BudgetEvent[] {
  if (state === 'exceeded') return ['budget.exceeded', 'budget.warn']
  return state === 'warn' ? ['budget.warn'] : []
}

async function tell(tenant: Tenant, budget: BudgetWithState, event: BudgetEvent): Promise<void> {
  const { id, name, currency, month, state, scopeKind, scopeValue, forecastState } = budget
  const { actual, forecast } = budget.figures
  const money = (amount: number) => `${amount.toFixed(2)} ${currency}`
  const amount = money(Number(budget.amountMonthly))
  await announce(tenant, {
    event,
    subject: { kind: 'budget', id, label: name },
    dedupeKey: month,
    title:
      event === 'budget.exceeded'
        ? `The budget ${name} is exceeded`
        : `The budget ${name} is close to its amount`,
    lines: [
      `The cost of ${month} is ${money(Number(actual))} of ${amount}.`,
      ...(forecast ? [`By the end of the month ${money(forecast.amount)} are expected.`] : []),
    ],
    path: '/cost/budgets',
    impact: actual,
    ...(scopeKind !== 'all' && { scope: scopeOf(budget) }),
    detail: {
      budgetId: id,
      name,
      month,
      state,
      scopeKind,
      scopeValue,
      amountMonthly: Number(budget.amountMonthly),
      currency,
      actual: Number(actual),
      forecast: forecast?.amount ?? null,
      forecastState,
    },
  })
}

const scopeOf = ({ scopeKind, scopeValue }: BudgetWithState) => {
  const value = scopeValue ?? ''
  switch (scopeKind) {
    case 'provider':
      return { provider: value.toLowerCase() }
    case 'service':
      return { service: value }
    case 'account':
      return { accountId: Number(value) }
    case 'subAccount':
      return { subAccountId: value }
    case 'workspace':
      return { workspaceIds: [Number(value)] }
    case 'tag':
      return { tags: [value] }
    default:
      return {}
  }
}
