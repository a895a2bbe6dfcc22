import { setImmediate as nextTurn } from 'node:timers/promises'
import { dayAfter } from '../../domain/finops/anomalies/days.ts'
import type { BudgetFigures, BudgetState } from '../../domain/finops/budgets/budget.ts'
import { judgeBudget } from '../../domain/finops/budgets/judge-budget.ts'
import {
  budgetCosts,
  type BudgetCosts,
  type BudgetCostsQuery,
} from '../../store/finops/budgets/budget-costs.ts'
import {
  budgetFigures,
  costMoment,
  type KeptFigures,
} from '../../store/finops/budgets/budget-figures.ts'
import { budgets, type StoredBudget } from '../../store/finops/budgets/budgets.ts'
import { withinMonth } from '../../store/finops/cost/within-window.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { organizationSettings } from '../../store/organizations/settings.ts'
import { basisOf, figuresOf, figuresWithForecastBefore, scopePartOf } from './budget-figures-of.ts'

export type BudgetWithState = StoredBudget & {
  currency: string
  /** `YYYY-MM` */
  month: string
  figures: BudgetFigures
  state: BudgetState
  forecastState: BudgetState | null
}

type Asked = { of?: readonly StoredBudget[]; now?: Date }

/**
 * These budgets with their states, by default all of the organization. Figures are computed once for
 * each version of the cost, day and scope, and kept: a read of cost must not read a year of it again.
 */
export async function budgetStates(
  tenant: Tenant,
  { of, now = new Date() }: Asked = {},
): Promise<BudgetWithState[]> {
  const { budgets: stated } = await statesOf(tenant, {
    of,
    now,
    most: Infinity,
    costsOf: budgetCosts,
  })
  return stated
}

/** A forecast takes 2 to 5 ms of CPU. */
const mostOfRequest = 8

/**
 * The same for a request, which computes at most eight forecasts. A budget beyond them has its actual cost, and the
 * forecast that was computed last for the month, or none (`pending`); the task `compute-budgets` computes it within
 * seconds. `isWhole` is false then: such an answer is not to be kept. The cost is read for 20 s at most: past that 503.
 */
export async function shownBudgetStates(
  tenant: Tenant,
  { of, now = new Date() }: Asked = {},
): Promise<{ budgets: BudgetWithState[]; isWhole: boolean }> {
  return statesOf(tenant, { of, now, most: mostOfRequest, costsOf: costsOfRequest })
}

type CostsOf = (tenant: Tenant, query: BudgetCostsQuery) => Promise<BudgetCosts[]>

const costsOfRequest: CostsOf = async (tenant, query) =>
  withinMonth(tenant, async () => budgetCosts(tenant, query))

type Way = { of: readonly StoredBudget[] | undefined; now: Date; most: number; costsOf: CostsOf }

async function statesOf(
  tenant: Tenant,
  { of, now, most, costsOf }: Way,
): Promise<{ budgets: BudgetWithState[]; isWhole: boolean }> {
  const asked = of ?? (await budgets(tenant).all())
  if (asked.length === 0) return { budgets: [], isWhole: true }
  const today = now.toISOString().slice(0, 10)
  const [{ currency, tagKey }, moment, kept] = await Promise.all([
    organizationSettings(tenant),
    costMoment(tenant),
    budgetFigures(tenant).all(),
  ])
  const around = { currency, tagKey, today }
  const based = asked.map((budget) => ({ budget, basis: basisOf(budget, { ...around, moment }) }))
  const bases = new Map(based.map(({ budget, basis }) => [budget.id, basis]))
  const current = kept.filter(({ budgetId, basis }) => bases.get(budgetId) === basis)
  const found = new Map(current.map((one) => [one.budgetId, one]))
  const unforecast = based.filter(({ budget }) => found.get(budget.id)?.isWanted !== false)
  const forecast = new Set([...new Set(unforecast.map(({ basis }) => basis))].slice(0, most))
  const stale = unforecast.filter(
    ({ budget, basis }) => forecast.has(basis) || !found.has(budget.id),
  )
  const { whole, pending } = await computeFigures(tenant, {
    stale,
    kept,
    around,
    forecast,
    costsOf,
  })
  await budgetFigures(tenant).keep({ whole, pending })
  const computed = new Map([...whole, ...pending].map((one) => [one.budgetId, one]))
  return {
    budgets: asked.map((budget) => {
      const { figures } = computed.get(budget.id) ?? found.get(budget.id) ?? { figures: noCost }
      const month = today.slice(0, 7)
      return { ...budget, currency, month, figures, ...judgeBudget(budget, figures) }
    }),
    isWhole: whole.length === unforecast.length,
  }
}

type Based = { budget: StoredBudget; basis: string }
type Stale = {
  stale: readonly Based[]
  kept: readonly KeptFigures[]
  around: { currency: string; tagKey: string | null; today: string }
  /** The bases whose forecasts are computed. */
  forecast: ReadonlySet<string>
  costsOf: CostsOf
}

/** Computes figures once for budgets of one scope. `pending`: those that need a forecast that is not computed. */
async function computeFigures(
  tenant: Tenant,
  { stale, kept, around, forecast, costsOf }: Stale,
): Promise<{ whole: KeptFigures[]; pending: KeptFigures[] }> {
  const sharing = [...Map.groupBy(stale, ({ basis }) => basis).values()]
  const firsts = sharing.flatMap(([first]) => first ?? [])
  const costs = await costsOf(tenant, {
    budgets: firsts.map(({ budget }) => budget),
    ...around,
    withDays: firsts.filter(({ basis }) => forecast.has(basis)).map(({ budget }) => budget.id),
  })
  const byBudget = new Map(costs.map((cost) => [cost.budgetId, cost]))
  const before = new Map(kept.map(({ basis, figures }) => [scopePartOf(basis), figures]))
  const whole: KeptFigures[] = []
  const pending: KeptFigures[] = []
  for (const ofScope of sharing) {
    const [first] = ofScope
    const cost = first && byBudget.get(first.budget.id)
    if (!cost) continue
    const { basis, budget } = first
    const at = { scope: budget, ...around }
    const isForecast = forecast.has(basis)
    const figures = isForecast
      ? figuresOf(cost, at)
      : figuresWithForecastBefore(cost, before.get(scopePartOf(basis)), at)
    const isPending =
      !isForecast && (figures.forecast !== null || figures.noForecastBecause === 'pending')
    const list = isPending ? pending : whole
    list.push(...ofScope.map((one) => ({ budgetId: one.budget.id, basis, figures })))
    // A forecast takes milliseconds, and there may be many: other requests come in between.
    if (isForecast) await nextTurn()
  }
  return { whole, pending }
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
  const around = { currency, tagKey, today }
  const costs = await budgetCosts(tenant, { budgets: asked, ...around, withDays: [] })
  const found = new Map(costs.map((one) => [one.budgetId, one]))
  return asked.map((budget) => {
    const cost = found.get(budget.id)
    const figures: BudgetFigures = cost
      ? {
          ...figuresWithForecastBefore(cost, undefined, { scope: budget, ...around }),
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

const noCost: BudgetFigures = {
  actual: '0',
  unknownBecause: 'no_cost',
  forecast: null,
  noForecastBecause: 'no_cost',
}
