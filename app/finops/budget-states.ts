import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { dayAfter } from '../../domain/finops/anomalies/days.ts'
import type { BudgetFigures, BudgetState } from '../../domain/finops/budgets/budget.ts'
import { forecastBudget, isLevelUnrated } from '../../domain/finops/budgets/forecast-budget.ts'
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
  for (const costs of await budgetCosts(tenant, { budgets: stale, ...around })) {
    const scope = stale.find(({ id }) => id === costs.budgetId)
    const unknown = unknownBecause(costs, { scope, tagKey })
    found.set(costs.budgetId, {
      actual: costs.actual,
      unknownBecause: unknown,
      ...forecastOf(costs, { today, unknown }),
    })
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

/**
 * The budgets that are older than this month, with their states at the end of the month before. A month that is over
 * has no forecast, and its figures are not kept: those that are kept are of today.
 */
export async function statesOfMonthBefore(tenant: Tenant, now: Date): Promise<BudgetWithState[]> {
  const firstDay = `${now.toISOString().slice(0, 7)}-01`
  const asked = (await budgets(tenant).all()).filter(
    ({ createdAt }) => createdAt < new Date(`${firstDay}T00:00:00Z`),
  )
  if (asked.length === 0) return []
  const { currency, tagKey } = await organizationSettings(tenant)
  const today = dayAfter(firstDay, -1)
  const costs = await budgetCosts(tenant, { budgets: asked, currency, tagKey, today })
  const found = new Map(costs.map((one) => [one.budgetId, one]))
  return asked.map((budget) => {
    const cost = found.get(budget.id)
    const figures: BudgetFigures = cost
      ? {
          actual: cost.actual,
          unknownBecause: unknownBecause(cost, { scope: budget, tagKey }),
          forecast: null,
          noForecastBecause: null,
        }
      : noCost
    return {
      ...budget,
      currency,
      month: today.slice(0, 7),
      figures,
      ...judgeBudget(budget, figures),
    }
  })
}

type Forecast = Pick<BudgetFigures, 'forecast' | 'noForecastBecause'>

/** Without a forecast, why. One from a bill that stopped would say nothing of this month. */
function forecastOf(
  { actual, days, completeThrough, unratedThrough }: BudgetCosts,
  { today, unknown }: { today: string; unknown: BudgetFigures['unknownBecause'] },
): Forecast {
  if (unknown !== null || completeThrough === null)
    return { forecast: null, noForecastBecause: unknown ?? 'late_bill' }
  if (isLevelUnrated(unratedThrough, { completeThrough, today }))
    return { forecast: null, noForecastBecause: 'no_rate' }
  const forecast = forecastBudget({ days, completeThrough, today, actual: Number(actual) })
  return { forecast, noForecastBecause: forecast === null ? 'short_history' : null }
}

type Scope = Pick<StoredBudget, 'scopeKind' | 'scopeValue'>

function unknownBecause(
  { hasCost, isUnrated, isLate }: BudgetCosts,
  { scope, tagKey }: { scope: Scope | undefined; tagKey: string | null },
): BudgetFigures['unknownBecause'] {
  if (scope?.scopeKind === 'tag' && scope.scopeValue === 'untagged' && tagKey === null)
    return 'no_tag_key'
  if (!hasCost) return 'no_cost'
  if (isUnrated) return 'no_rate'
  return isLate ? 'late_bill' : null
}

const noCost: BudgetFigures = {
  actual: '0',
  unknownBecause: 'no_cost',
  forecast: null,
  noForecastBecause: 'no_cost',
}

/** Raise it when figures are computed otherwise: those that were kept before are then computed anew. */
const figuresVersion = 2

type Around = { currency: string; tagKey: string | null; today: string }

const basisOf = (
  { scopeKind, scopeValue }: StoredBudget,
  { moment, currency, tagKey, today }: Around & { moment: string },
): string =>
  createHash('sha256')
    .update(
      JSON.stringify([figuresVersion, moment, currency, tagKey, today, scopeKind, scopeValue]),
    )
    .digest('hex')
    .slice(0, 32)
