import type { CostScopeKind } from '../../../domain/finops/cost-scope.ts'
import { valueOf } from './cost-rows.ts'

/**
 * What a statement over the cost of scopes reads. Its bindings: `organizationId`, `ids` (of the rows that have
 * the scopes), `currency` (the organization's), `tagKey` (whose absence is `untagged`), `today`, and `from`:
 * slices that end before it are not added up.
 */
export type ScopedRead = {
  /** The table of what has the scopes. */
  table: 'budgets' | 'cost_units'
  kinds: readonly CostScopeKind[]
  /** SQL: whether cost of a day is read. */
  reads: (day: string) => string
}

/**
 * An upload that ended before is history: no bill is expected to follow it, as of an account that is disconnected or
 * whose billing settings were taken away.
 */
const pastUploadDays = 62

/**
 * SQL, for a WITH clause: the effective cost in each scope, from the rollups of current slices. `scope_costs`
 * has it by scope (`id`), source, day and currency, with the `value` in the organization's currency: null
 * where there is no rate. `wanted`, `sources` and `looked` are what was asked for, where bills come from, and
 * the current slices. Rows of cost are read once for all scopes, and joined to them by what a scope names.
 * Only what these kinds of scopes need is read.
 */
export function scopedCost({ table, kinds, reads }: ScopedRead): string {
  const asked = [...new Set(kinds)].map((kind) => costOfKind[kind])
  const sums = new Map(asked.flatMap((of) => of.sums.map((one) => [one.name, one.sql(reads)])))
  return `
    ${scopesOf(table)},
    ${[...sums.values()].join(',')},
    scoped as (${asked.map(({ costs }) => costs).join(' union all ')}),
    scope_costs as materialized (
      select s.*, ${valueOf} as value
      from (select id, source_id, period, day, currency, sum(amount) as amount from scoped group by 1, 2, 3, 4, 5) s
        left join rates r on r.month = s.period and r.base = s.currency)`
}

/**
 * SQL: through which day the bills are complete that have cost in each scope, where more is expected of them,
 * and the sources that this is by. Nothing of a source without a bill.
 */
export const sourcesInScope = `
  select s.id, b.is_expected, b.provider, b.complete_through
  from (select distinct id, source_id from scope_costs) s join sources b on b.id = s.source_id`

/**
 * SQL: the same of the sources from which a first bill is expected, which will have cost in each scope that names their
 * account or their cloud, with the day on which each was added.
 */
export const sourcesBeforeFirstBill = `
  select w.id, b.is_expected, b.provider, b.complete_through, b.added_on
  from wanted w join sources b on b.is_expected and b.complete_through is null and case w.scope_kind
    when 'all' then true
    when 'account' then b.cloud_account_id::text = w.value
    when 'provider' then lower(w.value) = b.provider
      or exists (select from providers p where p.id = w.id and p.provider = b.provider) end`

const scopesOf = (table: ScopedRead['table']): string => `
  wanted as materialized (
    select b.id, b.scope_kind, b.scope_value as value,
      case b.scope_kind
        when 'tag' then case when b.scope_value = 'untagged' then :tagKey::text else split_part(b.scope_value, '=', 1) end
      end as tag_key,
      case when b.scope_kind = 'tag' and b.scope_value <> 'untagged'
        then substr(b.scope_value, strpos(b.scope_value, '=') + 1) end as tag_value
    from ${table} b where b.organization_id = :organizationId and b.id = any(:ids::integer[])),
  sources as materialized (
    select *, case when cloud_account_id is not null then is_connected
      else complete_through >= :today::date - ${pastUploadDays} end as is_expected
    from (
      select b.id, b.cloud_account_id, b.created_at::date as added_on, a.provider,
        a.disconnected_at is null and a.billing is not null as is_connected,
        (select max(coalesce(s.complete_through, s.last_day)) from billing_slices s
          where s.organization_id = b.organization_id and s.source_id = b.id and s.is_current) as complete_through
      from billing_sources b left join cloud_accounts a
        on a.organization_id = b.organization_id and a.id = b.cloud_account_id
      where b.organization_id = :organizationId and b.removed_at is null) s),
  looked as materialized (
    select s.id, s.source_id, s.period, s.provider_names, s.last_day >= :from::date as is_recent
    from billing_slices s join sources b on b.id = s.source_id
    where s.organization_id = :organizationId and s.is_current),
  providers as materialized (
    select distinct w.id, p.key as provider from wanted w, looked l, jsonb_each(l.provider_names) p
    where w.scope_kind = 'provider' and (lower(w.value) = p.key or exists (
      select from jsonb_array_elements_text(p.value) as n (name) where lower(n.name) = lower(w.value)))),
  rates as materialized (
    select month, base, rate from exchange_rates
    where organization_id = :organizationId and quote = :currency)`

type Sums = { name: string; sql: (reads: ScopedRead['reads']) => string }

/**
 * SQL: sums of the recent slices by day and `value`. Summed before they are joined to anything: PostgreSQL
 * estimates neither the rows of a common table expression nor those of a join to one.
 */
const sumsBy = (name: string, value: string): Sums => ({
  name,
  sql: (reads) => `
  ${name} as materialized (
    select s.value, l.source_id, l.period, s.day, s.currency, s.amount
    from (
      select c.slice_id, c.day, c.currency, ${value} as value, sum(c.effective) as amount
      from cost_daily c where c.organization_id = :organizationId and ${reads('c.day')}
        and c.slice_id = any(array(select id from looked where is_recent))
      group by 1, 2, 3, 4) s
      join looked l on l.id = s.slice_id)`,
})

const wholeSums = sumsBy('whole', 'null::text')

const taggedSums: Sums = {
  name: 'tagged',
  sql: (reads) => `
  tagged as materialized (
    select w.id, w.tag_value is null as is_left_out, l.source_id, l.period, t.day, t.currency,
      sum(t.effective) as amount
    from wanted w join looked l on l.is_recent
      join cost_tag_daily t on t.organization_id = :organizationId and t.slice_id = l.id
        and t.key_hash = hashtext(w.tag_key) and t.tag_key = w.tag_key
    where w.scope_kind = 'tag' and (w.tag_value is null or t.tag_value = w.tag_value)
      and ${reads('t.day')}
    group by 1, 2, 3, 4, 5, 6)`,
}

/** SQL: how a row of cost and a scope name the same. */
export const namedByScope = {
  service: { ofRow: 'lower(c.service)', ofScope: 'lower(w.value)' },
  subAccount: { ofRow: 'lower(c.sub_account_id)', ofScope: 'lower(w.value)' },
  workspace: { ofRow: 'c.workspace_id::text', ofScope: 'w.value' },
} as const

const costOfNamed = (kind: keyof typeof namedByScope) => ({
  sums: [sumsBy(`by_${kind.toLowerCase()}`, namedByScope[kind].ofRow)],
  costs: `select w.id, c.source_id, c.period, c.day, c.currency, c.amount
    from wanted w join by_${kind.toLowerCase()} c on c.value = ${namedByScope[kind].ofScope}
    where w.scope_kind = '${kind}'`,
})

/** SQL of each kind of scope: the sums that it needs, and the cost of its scopes by source, day and currency. */
const costOfKind: Record<CostScopeKind, { sums: Sums[]; costs: string }> = {
  all: {
    sums: [wholeSums],
    costs: `select w.id, c.source_id, c.period, c.day, c.currency, c.amount
      from wanted w, whole c where w.scope_kind = 'all'`,
  },
  account: {
    sums: [wholeSums],
    costs: `select w.id, c.source_id, c.period, c.day, c.currency, c.amount
      from wanted w join sources b on b.cloud_account_id::text = w.value join whole c on c.source_id = b.id
      where w.scope_kind = 'account'`,
  },
  tag: {
    sums: [wholeSums, taggedSums],
    costs: `select id, source_id, period, day, currency, case when is_left_out then -amount else amount end
        from tagged
      union all select w.id, c.source_id, c.period, c.day, c.currency, c.amount from wanted w, whole c
        where w.scope_kind = 'tag' and w.tag_value is null and w.tag_key is not null`,
  },
  provider: {
    sums: [sumsBy('by_provider', 'c.provider')],
    costs: `select p.id, c.source_id, c.period, c.day, c.currency, c.amount
      from providers p join by_provider c on c.value = p.provider`,
  },
  service: costOfNamed('service'),
  subAccount: costOfNamed('subAccount'),
  workspace: costOfNamed('workspace'),
}
