import type { Readable } from 'node:stream'
import type { CostWindow } from '../../../domain/finops/cost-query.ts'
import { chargeColumns, type ChargeColumn } from '../../../domain/finops/focus/charge-columns.ts'
import type { Store } from '../../driver/connect.ts'
import { unwrap } from '../../driver/tenant.ts'

/**
 * The charges of the current slices as CSV, under the names of FOCUS 1.2 and at day grain. In the order of their
 * bills, so that nothing is sorted and the first rows come at once. Empty texts are null, as the reader stored them.
 */
export async function focusExport(
  store: Store,
  organizationId: number,
  window: CostWindow,
): Promise<Readable> {
  const query = await store.tenant(organizationId, async (tenant) =>
    unwrap(tenant)
      .db.raw(selectCharges, { organizationId, ...window })
      .toQuery(),
  )
  return store.csv(organizationId, query)
}

const time = (expression: string) =>
  `to_char(${expression} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`
// A day's own text is YYYY-MM-DD on this connection (open-copies.ts).
const ofDay = (days: string) => `(${days})::text || 'T00:00:00Z'`

/** FOCUS 1.2 has these two in 1.3 only. */
const later = new Set(['ServiceProviderName', 'HostProviderName'])

/** What FOCUS requires and a row at day grain has in another form, or a bill may leave out. */
const derived: Record<string, string> = {
  ChargePeriodStart: ofDay('c.day'),
  ChargePeriodEnd: ofDay('c.day + 1'),
  BillingPeriodStart: ofDay('coalesce(c.billing_period_start, c.period)'),
  BillingPeriodEnd: ofDay(`coalesce(c.billing_period_end, (c.period + interval '1 month')::date)`),
  ListCost: 'coalesce(c.list_cost, c.billed_cost)',
  ContractedCost: 'coalesce(c.contracted_cost, c.effective_cost)',
}

function expressionOf({ name, focus = '', type }: ChargeColumn): string {
  const made = derived[focus] ?? (type === 'timestamptz' ? time(`c.${name}`) : `c.${name}`)
  return `${made} as "${focus}"`
}

const selectCharges = `
  select ${chargeColumns
    .filter(({ focus }) => focus !== undefined && !later.has(focus))
    .map(expressionOf)
    .join(', ')}
  from focus_charges c join billing_slices s on s.organization_id = c.organization_id and s.id = c.slice_id
    join billing_sources b on b.organization_id = s.organization_id and b.id = s.source_id
  where c.organization_id = :organizationId and s.is_current and b.removed_at is null
    and c.day between :from::date and :to::date and s.first_day <= :to::date and s.last_day >= :from::date`
