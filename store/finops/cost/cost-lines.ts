import type { Readable } from 'node:stream'
import type { Store } from '../../driver/connect.ts'
import { unwrap } from '../../driver/tenant.ts'
import { bindingsOf, converted, costRows, withSlices, type CostRead } from './cost-rows.ts'

/**
 * Cost by day, service, account, region and workspace, as CSV. Money without a rate is in its own currency.
 * COPY takes no parameters: knex writes the values into the text, escaped.
 */
export async function costLines(store: Store, read: CostRead): Promise<Readable> {
  const { organizationId } = read
  const query = await store.tenant(organizationId, async (tenant) =>
    unwrap(tenant).db.raw(linesOf(read), bindingsOf(read)).toQuery(),
  )
  return store.csv(organizationId, query)
}

/**
 * A spreadsheet takes a cell for a formula that begins with one of these. The texts are a bill's, the currency too, so anybody
 * who names a resource, a service or a workspace could have one run (CWE-1236). Amounts are numbers.
 */
const guarded = (text: string): string =>
  `case when ${text} ~ '^[=+@\t\r-]' then '''' || ${text} else ${text} end`

const linesOf = ({ query }: CostRead): string => `
  with ${withSlices(query)},
  costs as (${costRows(query, 'day')}),
  sums as materialized (
    select period, currency, day, provider, service, source_id, sub_account_id, region, workspace_id,
      sum(amount) as amount
    from costs group by 1, 2, 3, 4, 5, 6, 7, 8, 9)
  select p.day, ${guarded('p.provider')} as provider, ${guarded('p.service')} as service,
    ${guarded('coalesce(a.name, b.name)')} as account, ${guarded('p.sub_account_id')} as "subAccount",
    ${guarded('p.region')} as region, ${guarded('w.name')} as workspace,
    trim_scale(coalesce(p.value, p.amount)) as amount,
    ${guarded('case when p.value is null then p.currency else :currency end')} as currency, '${query.basis}' as basis
  from (${converted('sums')}) p
    join billing_sources b on b.organization_id = :organizationId and b.id = p.source_id
    left join cloud_accounts a on a.organization_id = b.organization_id and a.id = b.cloud_account_id
    left join workspaces w on w.organization_id = :organizationId and w.id = p.workspace_id
  order by p.day, p.provider, p.service, p.source_id, p.sub_account_id, p.region, w.name, p.currency`
