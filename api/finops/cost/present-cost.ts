import type { Static } from 'typebox'
import type { BudgetWithState } from '../../../app/finops/budget-states.ts'
import { daysOf, type CostQuery } from '../../../domain/finops/cost-query.ts'
import type { CostStand } from '../../../store/finops/cost/cost-stand.ts'
import type { CostTotals } from '../../../store/finops/cost/cost-totals.ts'
import type {
  Freshness as FoundFreshness,
  RateInUse,
  SourceFreshness,
} from '../../../store/finops/cost/freshness.ts'
import type { ShownAnomaly } from '../../../store/finops/shown-anomalies.ts'
import { presentAnomaly } from '../anomalies/present-anomaly.ts'
import { presentBudget } from '../budgets/present-budget.ts'
import type { CostBody, Freshness } from './schemas.ts'

export type Stand = Omit<CostStand, 'settings'> & { currency: string; tagKey: string | null }

export type CostFrame = {
  stand: Stand
  query: CostQuery
  freshness: FoundFreshness
  rates: readonly RateInUse[]
}

/** What the payload and the series begin with. */
export function presentFrame(
  { stand, query, freshness: { sources, rest, completeThrough }, rates }: CostFrame,
  { total, unconverted }: Pick<CostTotals, 'total' | 'unconverted'>,
) {
  return {
    currency: stand.currency,
    basis: query.basis,
    from: query.from,
    to: query.to,
    total: Number(total),
    completeThrough,
    freshness: sources.map(presentFreshness),
    ...(rest.sources > 0 && { freshnessRest: rest }),
    rates: rates.map(({ rate, ...of }) => ({ ...of, rate: Number(rate) })),
    unconverted: unconverted.map(({ currency, amount }) => ({ currency, amount: Number(amount) })),
  }
}

/** Amounts are the closest numbers to the exact sums. */
export function presentPayload(
  frame: CostFrame,
  totals: CostTotals,
  {
    names,
    anomalies,
    budgets,
  }: {
    names: ReadonlyMap<number, string>
    anomalies: readonly ShownAnomaly[]
    budgets: readonly BudgetWithState[]
  },
): Exclude<CostBody, { empty: true }> {
  const { tagKey, tagRest } = totals
  return {
    empty: false,
    ...presentFrame(frame, totals),
    spendByCloud: totals.clouds.map(({ provider, amount }) => ({
      provider,
      amount: Number(amount),
    })),
    spendByService: totals.services.map(({ amount, ...of }) => ({ ...of, amount: Number(amount) })),
    daily: presentDays(frame.query, totals),
    tagKey,
    byTag: presentTags(totals),
    ...(tagRest && { byTagRest: { tags: tagRest.tags, amount: Number(tagRest.amount) } }),
    byOwner: presentOwners(totals, names),
    anomalies: anomalies.map(presentAnomaly),
    budgets: budgets.map(presentBudget),
  }
}

const presentFreshness = ({
  accountId,
  source,
  name,
  completeThrough: through,
  ingestedAt,
}: SourceFreshness): Static<typeof Freshness> => ({
  accountId,
  source,
  name,
  completeThrough: through,
  ingestedAt: ingestedAt?.toISOString() ?? null,
})

/** Each day of the window. */
export function presentDays(query: CostQuery, { days }: CostTotals) {
  const found = new Map<string, { amount: number; byProvider: Array<[string, number]> }>()
  for (const { day, provider, amount } of days) {
    const of = found.get(day) ?? { amount: 0, byProvider: [] }
    if (provider === null) of.amount = Number(amount)
    else of.byProvider.push([provider, Number(amount)])
    found.set(day, of)
  }
  return daysOf(query).map((day) => {
    const { amount, byProvider } = found.get(day) ?? { amount: 0, byProvider: [] }
    return { day, amount, byProvider: Object.fromEntries(byProvider) }
  })
}

function presentTags({ tagKey, tags, untagged }: CostTotals) {
  const shown = tags.map(({ value, amount }) => ({
    tag: `${tagKey}=${value}`,
    amount: Number(amount),
  }))
  if (Number(untagged) !== 0) shown.push({ tag: 'untagged', amount: Number(untagged) })
  return shown.toSorted((a, b) => b.amount - a.amount)
}

export function presentOwners(
  { owners, ownerRest }: Pick<CostTotals, 'owners' | 'ownerRest'>,
  names: ReadonlyMap<number, string>,
) {
  const of = (owner: string) => Number(owners.find((one) => one.owner === owner)?.amount ?? 0)
  return {
    workspaces: owners.flatMap(({ workspaceId, amount }) =>
      workspaceId === null
        ? []
        : [{ workspaceId, name: names.get(workspaceId) ?? '', amount: Number(amount) }],
    ),
    ...(ownerRest && {
      rest: { workspaces: ownerRest.workspaces, amount: Number(ownerRest.amount) },
    }),
    unmanaged: of('unmanaged'),
    unattributed: of('none'),
  }
}
