import type { CostFilters, CostQuery } from '../../../domain/finops/cost-query.ts'
import { columnOf, costRows, isOfKey, isOfProvider, ofValues, tagRows } from './cost-rows.ts'

/** What `cost_days` has sums by, beside source, provider and currency. */
export type Dimension = 'service' | 'subAccount' | 'region' | 'chargeCategory' | 'workspace'

/**
 * SQL: rows by day with the dimension as `key`, for a series or null. Of the sums by one dimension where the
 * filters have no other one.
 */
export function dayRows(query: CostQuery, shown: Dimension | null): string {
  return rowsByDay(query, shown, 'all')
}

/** SQL: the rows by day of the services that the statement's `wanted` has as its key. */
export function wantedServiceRows(query: CostQuery): string {
  return rowsByDay(query, 'service', 'wanted')
}

// oxlint-disable-next-line max-params -- what is read, and which of it
function rowsByDay(query: CostQuery, shown: Dimension | null, which: 'all' | 'wanted'): string {
  const { tagValue, untagged } = query
  const asked = askedOf(query)
  const used = new Set<string>([...asked, ...(shown ? [shown] : [])])
  if (tagValue || untagged) used.add('tag')
  const [dimension = 'all'] = used
  if (used.size > 1 || (tagValue && untagged)) {
    const rows = costRows(query, 'day', which === 'all' ? undefined : isWantedService)
    return `select *, ${shown ? keyOf[shown] : 'null::text'} as key from (${rows}) r`
  }
  if (dimension !== 'tag') {
    const and = asked.map((one) => conditionOf[one](query)).join(' ')
    return rowsByOne(query, { dimension, and: which === 'all' ? and : `${and} ${isWantedKey}` })
  }
  const ofKey = isOfKey(':tagKey::text')
  return tagValue
    ? rowsByOne(query, { dimension, and: `${ofKey} ${ofValues('key')}` })
    : `${rowsByOne(query, { dimension: 'all' })} union all
      ${rowsByOne(query, { dimension, sign: '-', and: ofKey })}`
}

/** SQL: rows by day and tag of one key, as `tagRows` has them. */
export function tagDayRows(query: CostQuery, key: string): string {
  const { tagKey, tagValue, untagged } = query
  if (askedOf(query).length > 0) return tagRows(query, key, 'day')
  const asked = tagKey === undefined ? '' : untagged ? 'and false' : tagValue ? ofValues('key') : ''
  const rows = rowsByOne(query, { dimension: 'tag', and: `${isOfKey(key)} ${asked}` })
  return `select *, key as tag_value from (${rows}) r`
}

/** SQL: rows of the sums by day and one dimension. */
function rowsByOne(
  query: CostQuery,
  { dimension, sign = '', and = '' }: { dimension: string; sign?: string; and?: string },
): string {
  return `
    select l.period, c.currency, c.day, c.source_id, c.provider, c.key, ${sign}c.${columnOf(query.basis)} as amount
    from looked l join cost_days c on c.organization_id = :organizationId and c.slice_id = l.id
    where c.dimension = '${dimension}' and c.day between :from::date and :to::date
      ${query.provider ? isOfProvider : ''} ${and}`
}

const filtersOf = {
  service: ['service'],
  subAccount: ['subAccountId'],
  region: ['region'],
  chargeCategory: ['chargeCategory'],
  workspace: ['workspaceId', 'owner'],
} as const satisfies Record<Dimension, ReadonlyArray<keyof CostFilters>>

/** The dimensions that are filtered. */
const askedOf = (query: CostQuery): Dimension[] =>
  dimensions.filter((one) => filtersOf[one].some((name) => query[name]))
const dimensions = ['service', 'subAccount', 'region', 'chargeCategory', 'workspace'] as const

const isOneOf = (name: keyof CostFilters): string => `and c.key_hash = any(array(
    select hashtext(v) from unnest(:${name}::text[]) as f (v) union all select 0))
  and coalesce(c.key, '') = any(:${name}::text[])`

/** SQL: what the filters of a dimension ask of its row in `cost_days`. */
const conditionOf: Record<Dimension, (query: CostQuery) => string> = {
  service: () => isOneOf('service'),
  subAccount: () => isOneOf('subAccountId'),
  region: () => isOneOf('region'),
  chargeCategory: () => isOneOf('chargeCategory'),
  workspace: ({ workspaceId, owner }) =>
    `${workspaceId ? isOneOf('workspaceId') : ''} ${owner ? isOfOwner : ''}`,
}

/** What a deleted workspace owned is nobody's. */
const isOfOwner = `and case when c.key in ('none', 'unmanaged') then c.key
    when c.key in (select w.id::text from workspaces w where w.organization_id = :organizationId) then 'workspace'
    else 'unmanaged' end = any(:owner::text[])`

/** SQL: a dimension of a row with all of them, as `cost_days` has it. */
export const keyOf: Record<Dimension, string> = {
  service: 'service',
  subAccount: 'sub_account_id',
  region: 'region',
  chargeCategory: 'charge_category',
  workspace: `case when owner = 'workspace' then workspace_id::text else owner end`,
}

const isWantedKey = 'and c.key_hash = any(array(select hashtext(key) from wanted))'

/** An index of cost_daily has the hash. */
const isWantedService = (isTagged: boolean): string =>
  isTagged
    ? 'and c.service in (select key from wanted)'
    : 'and c.service_hash = any(array(select hashtext(key) from wanted))'
