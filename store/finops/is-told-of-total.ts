import { unwrap, type Tenant } from '../driver/tenant.ts'

type Days = { currency: string; firstDay: string; lastDay: string }

/** Whether people were told of the whole cost in this currency and in some of these days. */
export async function isToldOfTotal(
  tenant: Tenant,
  { currency, firstDay, lastDay }: Days,
): Promise<boolean> {
  const { db, organizationId } = unwrap(tenant)
  const row = await db('anomalies as a')
    .join('anomalySeries as s', function join() {
      this.on('s.organizationId', 'a.organizationId').andOn('s.id', 'a.seriesId')
    })
    .where({ 'a.organizationId': organizationId, 's.scopeKind': 'total', 's.currency': currency })
    .where('a.firstDay', '<=', lastDay)
    .where('a.lastDay', '>=', firstDay)
    .whereIn('a.state', ['open', 'acknowledged'])
    .whereNotNull('a.toldImpact')
    .first('a.id')
  return row !== undefined
}
