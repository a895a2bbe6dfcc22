import { unwrap, type Tenant } from '../driver/tenant.ts'

/**
 * The least excess that is told, in each of these currencies: the organization's setting at the newest rate.
 * A currency without a rate takes the setting's number as it is.
 */
export async function anomalyMinimums(
  tenant: Tenant,
  { anomalyMinimum, currency }: { anomalyMinimum: number; currency: string },
  currencies: readonly string[],
): Promise<Map<string, number>> {
  const { db, organizationId } = unwrap(tenant)
  const { rows } = await db.raw(
    `select distinct on (base) base, rate::double precision as rate from exchange_rates
     where organization_id = ? and quote = ? and base = any(?) order by base, month desc`,
    [organizationId, currency, [...currencies]],
  )
  const rates = new Map(
    (rows as Array<{ base: string; rate: number }>).map(({ base, rate }) => [base, rate]),
  )
  return new Map(currencies.map((name) => [name, anomalyMinimum / (rates.get(name) ?? 1)]))
}
