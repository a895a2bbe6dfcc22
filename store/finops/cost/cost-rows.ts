import type { CostBasis, CostFilters, CostQuery } from '../../../domain/finops/cost-query.ts'

/** What a statement over cost is made for. */
export type CostRead = {
  organizationId: number
  query: CostQuery
  /** The organization's, which amounts are shown in. */
  currency: string
  /** The key of what is shown by tag: null is the one on most cost. */
  shownKey: string | null
}

export const bindingsOf = ({ organizationId, query, currency, shownKey }: CostRead) => ({
  ...emptyFilters,
  ...query,
  provider: query.provider?.map((name) => name.toLowerCase()) ?? null,
  subAccountId: query.subAccountId ? inEachCase(query.subAccountId) : null,
  owner: query.owner?.map((one) => (one === 'unattributed' ? 'none' : one)) ?? null,
  organizationId,
  currency,
  shownKey,
})

/** Ids of Azure are stored in lower case (gateways/duckdb/program/make-charges.ts), others as their bill has them. */
export const inEachCase = (ids: readonly string[]): string[] => [
  ...new Set(ids.flatMap((id) => [id, id.toLowerCase()])),
]

// The names of all bindings: knex refuses a name that a statement has and the bindings do not.
const emptyFilters = {
  service: null,
  accountId: null,
  source: null,
  subAccountId: null,
  region: null,
  workspaceId: null,
  chargeCategory: null,
  owner: null,
  tagKey: null,
  tagValue: null,
}

/**
 * SQL, ahead of a statement over many rows. To compile it would take longer than to run it, and so would sorts, which
 * the planner takes for few rows: it knows little of how many there are.
 */
export const readSettings = `select set_config('jit', 'off', true), set_config('work_mem', '32MB', true),
  set_config('enable_sort', 'off', true)`

/**
 * SQL: `looked` (the current slices of the window), `wanted_providers` and `rates`, for the WITH clause of
 * every statement over cost. A slice that is not current is no part of any answer.
 */
export const withSlices = (
  { provider, accountId, source }: CostFilters,
  name = 'looked',
): string => `
  ${name} as materialized (
    select s.id, s.period, s.source_id, s.provider_names,
      s.first_day >= :from::date and s.last_day <= :to::date as is_whole
    from billing_slices s
      join billing_sources b on b.organization_id = s.organization_id and b.id = s.source_id
    where s.organization_id = :organizationId and s.is_current and b.removed_at is null
      and s.first_day <= :to::date and s.last_day >= :from::date
      ${accountId ? 'and b.cloud_account_id = any(:accountId::integer[])' : ''}
      ${source ? 'and b.name = any(:source::text[])' : ''}),
  ${ratesAndProviders(provider, 'looked')}`

/** SQL: `rates` and `wanted_providers`, which are named by the product's name or by the bill's own, in any case. */
export const ratesAndProviders = (provider: CostFilters['provider'], slices: string): string => `
  rates as materialized (
    select month, base, rate from exchange_rates
    where organization_id = :organizationId and quote = :currency)
  ${
    provider
      ? `, wanted_providers as materialized (
        select distinct p.key as provider from ${slices} l, jsonb_each(l.provider_names) p
        where p.key = any(:provider::text[]) or exists (
          select from jsonb_array_elements_text(p.value) as n (name)
          where lower(n.name) = any(:provider::text[])))`
      : ''
  }`

/** `month`: sums by month of the slices that are whole in the window, by day of the others. */
export type Grain = 'day' | 'month'

/**
 * SQL: the rows of cost that the filters let through, with `period` and `amount`. A month's `day` is its first.
 * `narrowed`: a further condition, on sums by tag or on others.
 */
export function costRows(
  query: CostQuery,
  grain: Grain,
  narrowed: (isTagged: boolean) => string = () => '',
): string {
  const { tagKey, tagValue, untagged } = query
  const whole = narrowed(false)
  const ofKey = `${isOfKey(':tagKey::text')} ${narrowed(true)}`
  if (tagValue && untagged) return rowsOf(query, { grain, and: 'and false' })
  if (tagKey !== undefined && tagValue)
    return rowsOf(query, { grain, tagged: true, and: `${ofKey} ${ofValues('tag_value')}` })
  if (tagKey !== undefined && untagged)
    return `${rowsOf(query, { grain, and: whole })} union all
      ${rowsOf(query, { grain, tagged: true, sign: '-', and: ofKey })}`
  return rowsOf(query, { grain, and: whole })
}

/** SQL: the same rows by their tags of one key. What has no such tag is not among them. */
export function tagRows(query: CostQuery, key: string, grain: Grain): string {
  const { tagKey, tagValue, untagged } = query
  const asked =
    tagKey === undefined ? '' : untagged ? 'and false' : tagValue ? ofValues('tag_value') : ''
  const and = `${isOfKey(key)} ${asked}`
  return rowsOf(query, { grain, tagged: true, more: ', c.tag_value', and })
}

/** SQL: the same, of all keys that the statement's `asked_keys` has, with the key. Never add over keys. */
export const rowsOfKeys = (query: CostQuery, grain: Grain): string =>
  rowsOf(query, {
    grain,
    tagged: true,
    more: ', c.tag_key',
    and: `and c.key_hash = any(array(select hashtext(tag_key) from asked_keys))
      and c.tag_key in (select tag_key from asked_keys)`,
  })

export const isOfKey = (key: string): string =>
  `and c.key_hash = hashtext(${key}) and c.tag_key = ${key}`
export const ofValues = (column: string): string => `and c.${column} = any(:tagValue::text[])`
export const isOfProvider = 'and c.provider in (select provider from wanted_providers)'

type Rows = { grain: Grain; tagged?: boolean; sign?: string; more?: string; and?: string }

function rowsOf(query: CostQuery, { grain, tagged, sign = '', more = '', and = '' }: Rows): string {
  const select = (day: string, table: string) => `
    select l.period, c.currency, ${day} as day, c.source_id, c.provider, c.service, c.sub_account_id, c.region,
      c.charge_category, c.owner, c.workspace_id, ${sign}c.${columnOf(query.basis)} as amount${more}
    from looked l join ${table} c on c.organization_id = :organizationId and c.slice_id = l.id
    where true ${conditions(query)} ${and}`
  const daily = `${select('c.day', tagged ? 'cost_tag_daily' : 'cost_daily')}
    and c.day between :from::date and :to::date ${tagged ? hashOfTag(query) : hashesOf(query)}`
  if (grain === 'day') return daily
  return `${select('c.month', tagged ? 'cost_tag_monthly' : 'cost_monthly')} and l.is_whole
    union all ${daily} and not l.is_whole`
}

/** What an index of cost_daily has. */
const hashesOf = ({ service, subAccountId }: CostFilters): string =>
  `${service ? isHashOf('c.service_hash', 'service') : ''}
    ${subAccountId ? isHashOf('c.sub_account_hash', 'subAccountId') : ''}`

/** What the index of cost_tag_daily has. */
const hashOfTag = ({ tagValue }: CostFilters): string =>
  tagValue ? isHashOf('hashtext(c.tag_value)', 'tagValue') : ''

const isHashOf = (hash: string, name: keyof CostFilters): string =>
  `and ${hash} = any(array(select hashtext(v) from unnest(:${name}::text[]) as f (v)))`

export const columnOf = (basis: CostBasis): string =>
  ({ effective: 'effective', billed: 'billed', list: 'list' })[basis]

function conditions(query: CostFilters): string {
  const asked = [
    query.service && 'c.service = any(:service::text[])',
    // Some charges have none: an empty text finds those.
    query.subAccountId && `coalesce(c.sub_account_id, '') = any(:subAccountId::text[])`,
    query.region && `coalesce(c.region, '') = any(:region::text[])`,
    query.workspaceId && 'c.workspace_id = any(:workspaceId::integer[])',
    query.chargeCategory && 'c.charge_category = any(:chargeCategory::text[])',
    // What a deleted workspace owned is nobody's.
    query.owner &&
      `case when c.owner = 'workspace' and not exists (select from workspaces w
        where w.organization_id = :organizationId and w.id = c.workspace_id)
        then 'unmanaged' else c.owner end = any(:owner::text[])`,
  ]
  const provider = query.provider ? isOfProvider : ''
  return [provider, ...asked.map((one) => (one ? `and ${one}` : ''))].join(' ')
}

/** SQL: `shown_key`, with the key of what is shown by tag: null where the bills have no tags. */
export const withShownKey = (basis: CostBasis): string => `
  shown_key as materialized (select coalesce(:shownKey::text, (
    select tag_key from (${keysByCost(basis)}) k order by cost desc, tag_key limit 1)) as tag_key)`

/**
 * SQL: the keys of the bills' tags with what has them, in the organization's currency: amounts of two currencies cannot
 * be added. Money without a rate counts as 0, as in every total.
 */
export const keysByCost = (basis: CostBasis): string => `
  select s.tag_key, coalesce(sum(${valueOf}), 0) as cost
  from (select l.period, k.tag_key, k.currency, k.${columnOf(basis)} as amount
      from looked l join cost_tag_keys k on k.organization_id = :organizationId and k.slice_id = l.id) s
    left join rates r on r.month = s.period and r.base = s.currency
  group by s.tag_key`

/** SQL: rows with `owner` and `workspace_id`. What a deleted workspace owned is nobody's. */
export const owned = (rows: string): string => `
  select case when p.owner = 'workspace' and w.id is null then 'unmanaged' else p.owner end as owner,
    w.id as workspace_id, p.value
  from ${rows} p left join workspaces w on w.organization_id = :organizationId and w.id = p.workspace_id`

/**
 * SQL: sums in the organization's currency, at the rate of the bill's month. Null where there is no rate. An amount of
 * 0 needs none: one such line would make the whole cost of a day unknown.
 */
export const converted = (sums: string): string => `
  select s.*, ${valueOf} as value
  from ${sums} s left join rates r on r.month = s.period and r.base = s.currency`

/** SQL: the value of a sum `s` at its rate `r`. */
export const valueOf = `case when s.currency = :currency or s.amount = 0 then s.amount else s.amount * r.rate end`

/** Of one answer. A bill that is read has at most 50; those that were read before may have any number. */
export const currenciesAtMost = 200

/** SQL: the money of converted sums that has no rate, by currency. What cancels out in all is none. */
export const unconvertedOf = (priced: string): string => `
  select currency, sum(amount) as amount from ${priced} where value is null
  group by currency having sum(amount) <> 0 order by currency limit ${currenciesAtMost}`
