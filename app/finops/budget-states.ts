import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { BudgetFigures, BudgetState } from '../../domain/finops/budgets/budget.ts'
import { forecastBudget } from '../../domain/finops/budgets/forecast-budget.ts'
import { judgeBudget } from '../../domain/finops/budgets/judge-budget.ts'
import { budgetCosts, type BudgetCosts } from '../../store/finops/budgets/budget-costs.ts'
import { budgetFigures, costMoment } from '../../store/finops/budgets/budget-figures.ts'
import { budgets, type StoredBudget } from '../../store/finops/budgets/budgets.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { organizationSettings } from '../../store/organizations/settings.ts'

export type BudgetWithState = StoredBudget & {
  currency: string
  /** `YYYY-MM` */
  month: string
  figures: BudgetFigures
  state: BudgetState
  forecastState: BudgetState | null
}

/**
 * These budgets with their states, by default all of the organization. Figures are computed once for
 * each version of the cost, day and scope, and kept: a read of cost must not read a year of it again.
 */
export async function budgetStates(
  tenant: Tenant,
  { of, now = new Date() }: { of?: readonly StoredBudget[]; now?: Date } = {},
): Promise<BudgetWithState[]> {
  const asked = of ?? (await budgets(tenant).all())
  if (asked.length === 0) return []
  const today = now.toISOString().slice(0, 10)
  const [{ currency, tagKey }, moment, kept] = await Promise.all([
    organizationSettings(tenant),
    costMoment(tenant),
    budgetFigures(tenant).all(),
  ])
  const around = { currency, tagKey, today }
  const bases = new Map(asked.map((budget) => [budget.id, basisOf(budget, { ...around, moment })]))
  const found = new Map(
    kept
      .filter(({ budgetId, basis }) => bases.get(budgetId) === basis)
      .map(({ budgetId, figures }) => [budgetId, figures]),
  )
  const stale = asked.filter(({ id }) => !found.has(id))
  for (const costs of await budgetCosts(tenant, {
    budgets: stale,
    ...around,
  })) {
    const scope = stale.find(({ id }) => id === costs.budgetId)
    const hasNoKey =
      scope?.scopeKind === 'tag' && scope.scopeValue === 'untagged' && tagKey === null
    found.set(costs.budgetId, figuresOf(costs, { today, hasNoKey }))
    // A forecast takes milliseconds, and there may be many: other requests come in between.
    await nextTurn()
  }
  await budgetFigures(tenant).keep(
    stale.flatMap(({ id }) => {
      const figures = found.get(id)
      return figures ? [{ budgetId: id, basis: bases.get(id) ?? '', figures }] : []
    }),
  )
  return asked.map((budget) => {
    const figures = found.get(budget.id) ?? noCost
    const month = today.slice(0, 7)
    return { ...budget, currency, month, figures, ...judgeBudget(budget, figures) }
  })
}

function figuresOf(
  costs: BudgetCosts,
  { today, hasNoKey }: { today: string; hasNoKey: boolean },
): BudgetFigures {
  const { actual, days, completeThrough, isLate } = costs
  // A forecast from a bill that stopped says nothing of this month.
  const isKnown = completeThrough !== null && !isLate
  return {
    actual,
    unknownBecause: hasNoKey ? 'no_tag_key' : unknownBecause(costs),
    forecast: isKnown
      ? forecastBudget({ days, completeThrough, today, actual: Number(actual) })
      : null,
  }
}

function unknownBecause({ hasCost, isUnrated, isLate }: BudgetCosts) {
  if (!hasCost) return 'no_cost'
  if (isUnrated) return 'no_rate'
  return isLate ? 'late_bill' : null
}

const noCost: BudgetFigures = { actual: '0', unknownBecause: 'no_cost', forecast: null }

type Around = { currency: string; tagKey: string | null; today: string }

const basisOf = (
  { scopeKind, scopeValue }: StoredBudget,
  { moment, currency, tagKey, today }: Around & { moment: string },
): string =>
  createHash('sha256')
    .update(JSON.stringify([moment, currency, tagKey, today, scopeKind, scopeValue]))
    .digest('hex')
    .slice(0, 32)
