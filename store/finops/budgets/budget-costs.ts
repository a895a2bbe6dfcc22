import { dayAfter } from '../../../domain/finops/anomalies/days.ts'
import type { CostScope, CostScopeKind } from '../../../domain/finops/cost-scope.ts'
import { unwrap, type Tenant } from '../../driver/tenant.ts'
import {
  namedByScope,
  scopedCost,
  sourcesBeforeFirstBill,
  sourcesInScope,
} from '../cost/scoped-cost.ts'
import { isLateBill } from '../late-bill.ts'

export type BudgetCosts = {
  budgetId: number
  /** Decimal text, of the current month, in the organization's currency. */
  actual: string
  /** Each day with cost as JSON, oldest first: the money with a rate. Null where it was not asked for. */
  days: string | null
  /** The bills of its scope had cost at some time. */
  hasCost: boolean
  /** Money of the current month has no exchange rate. */
  isUnrated: boolean
  /** The last day that has money without an exchange rate. */
  unratedThrough: string | null
  /** A bill of its scope is late or never came, or none is expected any more. */
  isLate: boolean
  /** The day through which every bill of its scope is complete. */
  completeThrough: string | null
}

export type BudgetCostsQuery = {
  budgets: ReadonlyArray<CostScope & { id: number }>
  /** The organization's. */
  currency: string
  /** The key whose absence is `untagged`. */
  tagKey: string | null
  /** `YYYY-MM-DD`, UTC. */
  today: string
  /** The budgets whose days are read: 14 KB each. */
  withDays: readonly number[]
}

export type CostOfDay = { day: string; amount: number }

/** The history that a forecast is made of, and a month that is not complete. */
const historyDays = 300

/** The cost in the scopes of these budgets by day, from the rollups of current slices, in one statement. */
export async function budgetCosts(
  tenant: Tenant,
  { budgets, currency, tagKey, today, withDays }: BudgetCostsQuery,
): Promise<BudgetCosts[]> {
  if (budgets.length === 0) return []
  const { db, organizationId } = unwrap(tenant)
  const kinds = new Set(budgets.map(({ scopeKind }) => scopeKind))
  const { rows } = await db.raw(statementOf([...kinds]), {
    organizationId,
    ids: budgets.map(({ id }) => id),
    currency,
    tagKey,
    today,
    from: dayAfter(today, -historyDays),
    withDays: [...withDays],
  })
  return rows
}

// Of slices before the window what scopes name that have no cost in it; not read if there are none.
const seenOfNamed = (kind: keyof typeof namedByScope) => ({
  seen: `
    seen_${kind.toLowerCase()} as materialized (
      select distinct ${namedByScope[kind].ofRow} as value from cost_daily c
      where c.organization_id = :organizationId
        and c.slice_id = any(array(select id from looked where not is_recent))
        and exists (select from missing w where w.scope_kind = '${kind}'))`,
  wasSeen: `when '${kind}' then ${namedByScope[kind].ofScope} in (select value from seen_${kind.toLowerCase()})`,
})

/** SQL of each kind of scope: whether one without recent cost had some before. */
const seenOfKind: Record<CostScopeKind, { seen?: string; wasSeen: string }> = {
  all: { wasSeen: `when 'all' then exists (select from looked)` },
  account: {
    wasSeen: `when 'account' then exists (select from looked l join sources b on b.id = l.source_id
      where b.cloud_account_id::text = w.value)`,
  },
  tag: {
    wasSeen: `when 'tag' then exists (select from looked l join cost_tag_daily t
      on t.organization_id = :organizationId and t.slice_id = l.id
        and t.key_hash = hashtext(w.tag_key) and t.tag_key = w.tag_key and t.tag_value = w.tag_value)`,
  },
  provider: { wasSeen: `when 'provider' then w.id in (select id from providers)` },
  service: seenOfNamed('service'),
  subAccount: seenOfNamed('subAccount'),
  workspace: seenOfNamed('workspace'),
}

/** Before its first bill a source is late by the day on which it was added, as in source-health.ts. */
const sourcesOfBudgets = `
  select i.*, i.complete_through as through from (${sourcesInScope}) i
  union all
  ${sourcesBeforeFirstBill}`

const isBehind = isLateBill({
  through: `coalesce(through, '-infinity')`,
  provider: 'provider',
  today: ':today::date',
})

function statementOf(kinds: readonly CostScopeKind[]): string {
  const asked = kinds.map((kind) => seenOfKind[kind])
  const cost = scopedCost({ table: 'budgets', kinds, reads: (day) => `${day} <= :today::date` })
  return `
  with ${cost},
  missing as materialized (select * from wanted where id not in (select id from scope_costs))
  ${asked.map(({ seen }) => (seen ? `, ${seen}` : '')).join('')},
  days as (
    select id, day, sum(value) as amount, bool_or(value is null) as is_unrated from scope_costs group by 1, 2),
  of_days as (
    select id, max(day) filter (where is_unrated) as unrated_through,
      bool_or(is_unrated and day >= date_trunc('month', :today::date)) as is_unrated,
      sum(amount) filter (where day >= date_trunc('month', :today::date)) as actual,
      json_agg(json_build_object('day', day, 'amount', amount) order by day)
        filter (where amount is not null and id = any(:withDays::integer[])) as days
    from days group by 1),
  of_sources as (
    select id, coalesce(bool_or(${isBehind}) filter (where is_expected), true) as is_late,
      min(complete_through) filter (where is_expected) as complete_through
    from (${sourcesOfBudgets}) s group by 1)
  select w.id as "budgetId", round(coalesce(d.actual, 0), 12)::text as actual,
    case when w.id = any(:withDays::integer[]) then coalesce(d.days, '[]')::text end as days,
    d.id is not null or (case w.scope_kind ${asked.map(({ wasSeen }) => wasSeen).join(' ')} end) as "hasCost",
    coalesce(d.is_unrated, false) as "isUnrated", d.unrated_through::text as "unratedThrough",
    coalesce(s.is_late, true) as "isLate", s.complete_through::text as "completeThrough"
  from wanted w left join of_days d on d.id = w.id left join of_sources s on s.id = w.id
  order by w.id`
}
