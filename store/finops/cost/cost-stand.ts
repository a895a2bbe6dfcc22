import { notFound } from '../../../domain/errors.ts'
import type { CostFilters } from '../../../domain/finops/cost-query.ts'
import type { Store } from '../../driver/connect.ts'

/** What answers about cost depend on, beside the query. */
export type CostStand = {
  /** Raised by each change of sums. */
  version: number
  /** Changes with exchange rates and budgets, and never back. */
  moment: string
  /** As they are stored: without what was never set. */
  settings: { currency?: string; tagKey?: string | null }
  /** Whether a bill with a charge was ever loaded, and is still there. */
  hasCost: boolean
}

type Row = CostStand & { unknown: number }

/** One short read, so that a 304 costs little. An id of another organization in a filter is not found. */
export async function costStand(
  store: Store,
  organizationId: number,
  { accountId = [], workspaceId = [] }: Pick<CostFilters, 'accountId' | 'workspaceId'>,
): Promise<CostStand> {
  const [row] = await store.read<Row>(organizationId, {
    name: 'cost-stand',
    text: stand,
    values: [organizationId, accountId.map(String), workspaceId.map(String)],
  })
  if (!row || row.unknown > 0) throw notFound()
  const { unknown: _, ...found } = row
  return found
}

/** A disconnected account is a filter as long as its cost is kept. */
const stand = `
  select o.settings,
    coalesce((select version from cost_versions where organization_id = o.id), 0)::integer as version,
    (select count(*) || ' ' || coalesce(max(updated_at)::text, '') from exchange_rates
      where organization_id = o.id) || ', ' ||
    coalesce((select changed_at::text from cost_versions where organization_id = o.id), '') as moment,
    exists (select from billing_slices s
        join billing_sources b on b.organization_id = s.organization_id and b.id = s.source_id
      where s.organization_id = o.id and s.is_current and s.first_day is not null
        and b.removed_at is null) as "hasCost",
    (select count(*) from unnest($2::integer[]) as i (id) where not exists (
      select from cloud_accounts a where a.organization_id = o.id and a.id = i.id
        and (a.disconnected_at is null or exists (select from billing_sources b
          where b.organization_id = o.id and b.cloud_account_id = a.id and b.removed_at is null))))::integer
    + (select count(*) from unnest($3::integer[]) as i (id) where not exists (
      select from workspaces w where w.organization_id = o.id and w.id = i.id))::integer as unknown
  from organizations o where o.id = $1`
