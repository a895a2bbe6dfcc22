import { budgetNotices, type BudgetEvent } from '../../store/finops/budgets/budget-notices.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { announce } from '../notifications/announce.ts'
import { budgetStates, statesOfMonthBefore, type BudgetWithState } from './budget-states.ts'

/** Bills of a month's last days are complete one or two days after it, and may be late by some more. */
const daysOfMonthBefore = 7

/**
 * Brings the states of all budgets up to date after the cost has changed, and tells of those that came to
 * warn or are exceeded: once a budget, month and event, also where several ingests end at once. Called in a
 * transaction after the swap. Idempotent. Early in a month it also tells of those that the month before exceeded.
 */
export async function evaluateBudgets(tenant: Tenant, now = new Date()): Promise<void> {
  for (const budget of await budgetStates(tenant, { now }))
    await tellOnce(tenant, budget, eventsOf(budget))
  if (now.getUTCDate() > daysOfMonthBefore) return
  for (const budget of await statesOfMonthBefore(tenant, now))
    if (budget.state === 'exceeded') await tellOnce(tenant, budget, ['budget.exceeded'])
}

/** Tells of the first of these events, unless the budget has told of it in that month. */
async function tellOnce(
  tenant: Tenant,
  budget: BudgetWithState,
  events: readonly BudgetEvent[],
): Promise<void> {
  const [event] = events
  if (!event) return
  const noted = await budgetNotices(tenant).note(budget.id, { month: budget.month, events })
  if (noted.includes(event)) await tell(tenant, budget, event)
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
