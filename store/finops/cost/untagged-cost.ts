import { unwrap, type Tenant } from '../../driver/tenant.ts'
import {
  bindingsOf,
  converted,
  costRows,
  keysByCost,
  owned,
  readSettings,
  rowsOfKeys,
  withShownKey,
  type CostRead,
} from './cost-rows.ts'
import { withMergedSlices } from './with-merged-slices.ts'
import { withinWindow } from './within-window.ts'

/** What costs without a tag. Amounts are exact decimal text. */
export type UntaggedCost = {
  /** The key that the sums by service and owner are of; null where the bills have no tags. */
  tagKey: string | null
  /** Of all keys of the bills, those on most cost: what has the key, and what has not. */
  keys: Array<{ key: string; tagged: string; untagged: string }>
  /** Dearest first. */
  services: Array<{ provider: string; service: string; amount: string }>
  owners: Array<{
    owner: 'workspace' | 'unmanaged' | 'none'
    workspaceId: number | null
    amount: string
  }>
  /** Of services and workspaces past the most that are shown. */
  rest: { services: number; serviceAmount: string; workspaces: number; workspaceAmount: string }
}

const most = { mostKeys: 50, mostServices: 100, mostOwners: 100 }

/** The cost of the window and filters that has no tag, by key, and of the shown key by service and owner. */
export async function untaggedCost(tenant: Tenant, read: CostRead): Promise<UntaggedCost> {
  const { db } = unwrap(tenant)
  await db.raw(readSettings)
  const at = { ...bindingsOf(read), ...most }
  return withinWindow(tenant, async () => (await db.raw(select(read), at)).rows[0].found)
}

/** Cost of a key is the sum over its tags, so what has none is the whole less that (docs/decisions/0140). */
const select = ({ query }: CostRead): string => {
  const { tagKey: _key, tagValue: _value, untagged: _untagged, ...of } = query
  return `
  with ${withMergedSlices(query)},
  ${withShownKey(query.basis)},
  whole as materialized (
    select period, currency, provider, service, owner, workspace_id, sum(amount) as amount
    from (${costRows(of, 'month')}) c group by 1, 2, 3, 4, 5, 6),
  asked_keys as materialized (
    select tag_key from (${keysByCost(query.basis)}) k
    order by tag_key = (select tag_key from shown_key) desc, cost desc, tag_key limit :mostKeys),
  tagged as materialized (
    select c.tag_key, c.period, c.currency, c.provider, c.service, c.owner, c.workspace_id, sum(c.amount) as amount
    from (${rowsOfKeys(of, 'month')}) c group by 1, 2, 3, 4, 5, 6, 7),
  total as materialized (
    select coalesce(sum(value), 0) as amount from (${converted('whole')}) p),
  by_key as materialized (
    select k.tag_key, coalesce(sum(p.value), 0) as amount
    from asked_keys k left join (${converted('tagged')}) p on p.tag_key = k.tag_key group by k.tag_key),
  untagged as materialized (
    select period, currency, provider, service, owner, workspace_id, amount from whole
    union all select period, currency, provider, service, owner, workspace_id, -amount from tagged
      where tag_key = (select tag_key from shown_key)),
  priced as materialized (${converted('untagged')}),
  services as materialized (
    select provider, service, sum(value) as amount,
      row_number() over (order by sum(value) desc, provider, service) as place
    from priced where value is not null group by 1, 2 having sum(value) <> 0),
  owners as materialized (
    select owner, workspace_id, sum(value) as amount,
      row_number() over (partition by owner order by sum(value) desc, workspace_id) as place
    from (${owned('(select * from priced where value is not null)')}) o group by 1, 2 having sum(value) <> 0)
  select json_build_object(
    'tagKey', (select tag_key from shown_key),
    'keys', (select coalesce(json_agg(json_build_object('key', b.tag_key, 'tagged', b.amount::text,
        'untagged', (t.amount - b.amount)::text) order by t.amount - b.amount desc, b.tag_key), '[]')
      from by_key b, total t),
    'services', (select coalesce(json_agg(json_build_object('provider', provider, 'service', service,
        'amount', amount::text) order by place), '[]') from services where place <= :mostServices),
    'owners', (select coalesce(json_agg(json_build_object('owner', owner, 'workspaceId', workspace_id,
        'amount', amount::text) order by amount desc, workspace_id), '[]') from owners where place <= :mostOwners),
    'rest', (select json_build_object(
        'services', count(*), 'serviceAmount', coalesce(sum(amount), 0)::text,
        'workspaces', (select count(*) from owners where place > :mostOwners),
        'workspaceAmount', (select coalesce(sum(amount), 0)::text from owners where place > :mostOwners))
      from services where place > :mostServices)) as found`
}
