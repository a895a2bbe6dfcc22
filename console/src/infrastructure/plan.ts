import type { Answer } from '../api/call.ts'

/** A page of a plan from the API: deletions come first, and sensitive values are already masked. */
export type Plan = NonNullable<Answer<'getPipelineRunPlan'>['plan']>
export type PlannedResource = Plan['resources'][number]
export type PlannedOutput = Plan['outputs'][number]
export type Attribute = PlannedResource['attributes'][number]
export type Cost = {
  before: number
  after: number
  delta: number
  currency: string
  coverage: unknown
}
export type Finding = {
  level: string
  message: string
  policyId?: number
  policy?: string
  enforcement?: string
  resource?: string
}

/** api/openapi.json does not type these values. A value of another shape is treated as absent. */
export const costOf = (value: unknown): Cost | undefined =>
  has(value, 'delta') && typeof value.delta === 'number' ? (value as unknown as Cost) : undefined

export const findingsOf = (values: readonly unknown[]): Finding[] =>
  values.filter((value): value is Finding => has(value, 'message') && has(value, 'level'))

type BudgetFinding = Finding & { budget: { id: number; name: string } }

/** The findings of a gate about budgets. */
export const budgetFindingsOf = (values: readonly unknown[]): BudgetFinding[] =>
  findingsOf(values).filter(
    (finding): finding is BudgetFinding => has(finding, 'budget') && has(finding.budget, 'id'),
  )

const has = <K extends string>(value: unknown, key: K): value is Record<K, unknown> =>
  typeof value === 'object' && value !== null && key in value

export const actions = ['destroy', 'replace', 'update', 'create', 'read', 'move'] as const
export type Action = (typeof actions)[number]

export function actionOf({ actions }: { actions: readonly string[] }): Action {
  if (actions.includes('delete') && actions.includes('create')) return 'replace'
  if (actions.includes('delete') || actions.includes('forget')) return 'destroy'
  if (actions.includes('create')) return 'create'
  if (actions.includes('update')) return 'update'
  return actions.includes('read') ? 'read' : 'move'
}
