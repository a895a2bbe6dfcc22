import { unwrap, type Tenant } from '../driver/tenant.ts'
import { driverLength } from './anomaly-drivers.ts'
import { cutText } from './cut-text.ts'

/** Drivers that were stored earlier have the beginning of a longer value, without an ellipsis. */
const cutBefore = `left(:tag::text, ${driverLength})`

const hasDriver = (value: string): string =>
  `a.drivers @> jsonb_build_array(jsonb_build_object('dimension', 'tag', 'value', ${value}))`

type Days = { currency: string; firstDay: string; lastDay: string }
type Tag = Days & { tag: string }

/**
 * Whether people were told of the whole cost in this currency and in some of these days, and that the tag (`key=value`)
 * drove it: a rise of another tag would be told to nobody.
 */
export async function isToldOfTotal(
  tenant: Tenant,
  { currency, firstDay, lastDay, tag }: Tag,
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
    .whereRaw(`(${hasDriver(cutText(':tag::text', driverLength))} or ${hasDriver(cutBefore)})`, {
      tag,
    })
    .first('a.id')
  return row !== undefined
}
