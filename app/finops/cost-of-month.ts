import { dayAfter } from '../../domain/finops/anomalies/days.ts'
import { modelDays } from '../../domain/finops/forecast/forecast-month.ts'
import { forecastBudget, isLevelUnrated } from '../../domain/finops/budgets/forecast-budget.ts'
import { costByDay } from '../../store/finops/cost/cost-by-day.ts'
import { freshness } from '../../store/finops/cost/freshness.ts'
import { shownAnomalies } from '../../store/finops/shown-anomalies.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { organizationSettings } from '../../store/organizations/settings.ts'
import { shownBudgetStates, type BudgetWithState } from './budget-states.ts'

export type CostOfMonth = {
  monthToDate: number
  /** Up to the day up to which the month is complete; null where no day of it is. */
  monthComplete: number | null
  /** Of the month before up to the same day; null likewise. */
  monthBefore: number | null
  /** At the month's end; null without the history or the rates that it needs. */
  forecast: number | null
  currency: string
  budgets: BudgetWithState[]
  /** False where forecasts of budgets are still to be computed: not to be kept. */
  isWhole: boolean
  openAnomalies: number
}

/** What the forecast is made of, and a month whose bill is not complete. */
const historyDays = modelDays + 31
const mostAnomalies = 500

/** What an organization spent this month (UTC), where that leads, and what there is to look at. */
export async function costOfMonth(tenant: Tenant, now = new Date()): Promise<CostOfMonth> {
  const { organizationId } = tenant
  const { currency } = await organizationSettings(tenant)
  const today = now.toISOString().slice(0, 10)
  const from = dayAfter(today, -historyDays)
  const { completeThrough } = await freshness(tenant)
  const through = completeThrough === null || completeThrough > today ? today : completeThrough
  const { days, ofMonth, ofMonthThrough, ofMonthBefore, unratedThrough } = await costByDay(
    tenant,
    {
      organizationId,
      query: { from, to: today, basis: 'effective' },
      currency,
      shownKey: null,
    },
    through,
  )
  const monthToDate = Number(ofMonth)
  const forecast =
    completeThrough === null || isLevelUnrated(unratedThrough, { completeThrough, today })
      ? null
      : forecastBudget({ days, completeThrough, today, actual: monthToDate })
  // Before what is written: its locks are held to the end of the transaction.
  const openAnomalies = await shownAnomalies(tenant).count({ state: ['open'] }, mostAnomalies)
  const hasCompleteDay = completeThrough !== null && through.slice(0, 7) === today.slice(0, 7)
  return {
    monthToDate,
    monthComplete: hasCompleteDay ? Number(ofMonthThrough) : null,
    monthBefore: hasCompleteDay ? Number(ofMonthBefore) : null,
    forecast: forecast?.amount ?? null,
    currency,
    ...(await shownBudgetStates(tenant, { now })),
    openAnomalies,
  }
}
