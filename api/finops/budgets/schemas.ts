import { Type, type Static } from 'typebox'
import {
  budgetStates,
  noForecastReasons,
  overBudgets,
} from '../../../domain/finops/budgets/budget.ts'
import { costScopeKinds } from '../../../domain/finops/cost-scope.ts'
import { OneLine } from '../../http/one-line.ts'
import { Body, Id, Nullable, OneOf, Time } from '../../http/schemas.ts'
import { scopeFields } from '../scope-columns.ts'

export const BudgetBody = Type.Object({
  id: Id,
  name: Type.String(),
  amountMonthly: Type.Number(),
  currency: Type.String({ description: 'The organization’s.' }),
  scopeKind: OneOf(costScopeKinds),
  scopeValue: Nullable(Type.String()),
  threshold: Type.Number(),
  thresholdPct: Type.Number(),
  overBudget: OneOf(overBudgets),
  state: OneOf(budgetStates, {
    description:
      'exceeded: the actual cost reaches the amount. warn: it reaches the threshold, or the forecast the amount. unknown: no cost was ever in the scope, a bill is more than 5 days late, or money has no exchange rate.',
  }),
  month: Type.String({ description: 'The current month in UTC, as 2026-01.' }),
  actual: Type.Number({ description: 'Effective cost of the month in the scope.' }),
  forecast: Nullable(
    Type.Number({
      description: 'At the end of the month. Null where noForecastBecause says why there is none.',
    }),
  ),
  forecastLow: Nullable(Type.Number()),
  forecastHigh: Nullable(Type.Number()),
  noForecastBecause: Nullable(
    OneOf(noForecastReasons, {
      description:
        'no_tag_key: the settings name no tagKey, which the scope needs. no_cost: no cost was ever in the scope. no_rate: money of the month or of the last 56 days has no exchange rate. late_bill: a bill is more than 5 days late, or no more is expected. short_history: under 14 days of cost. pending: a worker computes it within seconds. Null where there is a forecast.',
    }),
  ),
  forecastState: Nullable(OneOf(budgetStates, { description: 'The state at the forecast.' })),
  createdAt: Time,
  updatedAt: Time,
})
export type BudgetBody = Static<typeof BudgetBody>

const fields = {
  name: OneLine(200),
  amountMonthly: Type.Number({
    exclusiveMinimum: 0,
    maximum: 1e15,
    description: 'In the organization’s currency.',
  }),
  ...scopeFields,
  threshold: Type.Number({ exclusiveMinimum: 0, maximum: 1 }),
  thresholdPct: Type.Number({ exclusiveMinimum: 0, maximum: 100 }),
  overBudget: OneOf(overBudgets),
}

export const NewBudgetBody = Body({
  name: fields.name,
  amountMonthly: fields.amountMonthly,
  scopeKind: fields.scopeKind,
  scopeValue: Type.Optional(fields.scopeValue),
  threshold: Type.Optional(fields.threshold),
  thresholdPct: Type.Optional(fields.thresholdPct),
  overBudget: Type.Optional(fields.overBudget),
})
export type NewBudgetBody = Static<typeof NewBudgetBody>

export const BudgetChangeBody = Body({
  name: Type.Optional(fields.name),
  amountMonthly: Type.Optional(fields.amountMonthly),
  scopeKind: Type.Optional(fields.scopeKind),
  scopeValue: Type.Optional(fields.scopeValue),
  threshold: Type.Optional(fields.threshold),
  thresholdPct: Type.Optional(fields.thresholdPct),
  overBudget: Type.Optional(fields.overBudget),
})
export type BudgetChangeBody = Static<typeof BudgetChangeBody>

export const BudgetAnswer = Type.Object({ ok: Type.Literal(true), budget: BudgetBody })
