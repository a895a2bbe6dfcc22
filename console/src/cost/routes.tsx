import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { app } from '../app/parent-routes.tsx'
import { count, idParams, text, type Values } from '../app/route-values.ts'
import {
  anomalyStates,
  costChoices,
  costNumbers,
  costTexts,
  type AnomalySearch,
  type CommitmentSearch,
  type CostSearch,
  type UnitSearch,
} from '../app/searches.ts'

const cost = createRoute({
  getParentRoute: () => app,
  path: '/cost',
  validateSearch: searchOf,
  component: lazyRouteComponent(() => import('./cost.tsx'), 'CostPage'),
})

const budgets = createRoute({
  getParentRoute: () => app,
  path: '/cost/budgets',
  component: lazyRouteComponent(() => import('./budgets.tsx'), 'BudgetsPage'),
})

const prices = createRoute({
  getParentRoute: () => app,
  path: '/cost/prices',
  component: lazyRouteComponent(() => import('./prices.tsx'), 'PricesPage'),
})

const units = createRoute({
  getParentRoute: () => app,
  path: '/cost/units',
  component: lazyRouteComponent(() => import('./units.tsx'), 'UnitsPage'),
})

const unit = createRoute({
  getParentRoute: () => app,
  path: '/cost/units/$id',
  params: idParams,
  validateSearch: (values: Values): UnitSearch => {
    const [from, to] = [text(values['from']), text(values['to'])]
    return { ...(from && { from }), ...(to && { to }) }
  },
  component: lazyRouteComponent(() => import('./unit.tsx'), 'UnitPage'),
})

const bills = createRoute({
  getParentRoute: () => app,
  path: '/cost/bills',
  component: lazyRouteComponent(() => import('./bills.tsx'), 'BillsPage'),
})

const anomalies = createRoute({
  getParentRoute: () => app,
  path: '/cost/anomalies',
  validateSearch: (values: Values): AnomalySearch => {
    const search: AnomalySearch = {}
    for (const field of ['provider', 'service', 'from', 'to'] as const) {
      const value = text(values[field]) ?? count(values[field])
      if (value !== undefined) search[field] = String(value)
    }
    const state = [...anomalyStates, 'all' as const].find((one) => one === values['state'])
    return { ...search, ...(state && { state }) }
  },
  component: lazyRouteComponent(() => import('./anomalies.tsx'), 'AnomaliesPage'),
})

const anomaly = createRoute({
  getParentRoute: () => app,
  path: '/cost/anomalies/$id',
  params: idParams,
  component: lazyRouteComponent(() => import('./anomaly.tsx'), 'AnomalyPage'),
})

const unmanaged = createRoute({
  getParentRoute: () => app,
  path: '/cost/unmanaged',
  validateSearch: searchOf,
  component: lazyRouteComponent(() => import('./unmanaged.tsx'), 'UnmanagedPage'),
})

const commitments = createRoute({
  getParentRoute: () => app,
  path: '/cost/commitments',
  validateSearch: (values: Values): CommitmentSearch => {
    const search: CommitmentSearch = {}
    for (const field of ['from', 'to', 'provider'] as const) {
      const value = text(values[field]) ?? count(values[field])
      if (value !== undefined) search[field] = String(value)
    }
    return { ...search, ...(values['sort'] === 'amortised' && { sort: 'amortised' }) }
  },
  component: lazyRouteComponent(() => import('./commitments.tsx'), 'CommitmentsPage'),
})

/** An empty text of these finds the cost that has none. */
const canBeNone: ReadonlySet<string> = new Set(['region', 'subAccountId', 'tagValue'])

/** What is no value of a field is left out, so that any address shows a page. */
function searchOf(values: Values): CostSearch {
  const search: CostSearch = {}
  for (const field of costTexts) {
    // The router parses `12` as a number, and these fields are texts.
    const value = values[field]
    if (typeof value !== 'string' && typeof value !== 'number') continue
    if (value !== '' || canBeNone.has(field)) search[field] = String(value)
  }
  for (const field of costNumbers) {
    const value = count(values[field])
    if (value !== undefined) search[field] = value
  }
  const chosen = <T extends string>(field: string, from: readonly T[]) =>
    from.find((one) => one === values[field])
  const basis = chosen('basis', costChoices.basis)
  const groupBy = chosen('groupBy', costChoices.groupBy)
  const chargeCategory = chosen('chargeCategory', costChoices.chargeCategory)
  const owner = chosen('owner', costChoices.owner)
  return {
    ...search,
    ...(basis && { basis }),
    ...(groupBy && { groupBy }),
    ...(chargeCategory && { chargeCategory }),
    ...(owner && { owner }),
    ...(values['untagged'] === true && { untagged: true }),
  }
}

export const costRoutes = [
  cost,
  anomalies,
  anomaly,
  budgets,
  prices,
  units,
  unit,
  unmanaged,
  commitments,
  bills,
] as const
