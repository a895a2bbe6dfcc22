import { isDeepStrictEqual } from 'node:util'
import { placeOfBills } from '../../domain/clouds/place-of-bills.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import { CloudAccountRow, type CloudAccount } from './cloud-account-row.ts'

/** The first key of the advisory lock, arbitrary; the second is the organization. */
const placesLock = 731_540_212

/** Where the bills of one organization's connected accounts are. */
export function billingPlaces(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  return {
    /**
     * Makes changes of places come one after the other. Taken before any row is locked: two that wait for each
     * other's rows would be a deadlock.
     */
    async hold(): Promise<void> {
      await db.raw('select pg_advisory_xact_lock(?, ?)', [placesLock, organizationId])
    },

    /** Another account that names the same place as this one. */
    async other({
      id,
      billingShown,
      ...account
    }: Pick<CloudAccount, 'id' | 'provider' | 'billingShown' | 'endpoint' | 'endpoints'>): Promise<
      Pick<CloudAccount, 'id' | 'name'> | undefined
    > {
      if (!billingShown) return undefined
      const { provider } = account
      const place = placeOfBills({ ...account, billingShown })
      const rows = await CloudAccountRow.query(db)
        .where({ organizationId, provider })
        .whereNull('disconnectedAt')
        .whereNot({ id })
        .whereRaw('billing_shown @> ?::jsonb', [JSON.stringify(place.named)])
        .select('id', 'name', 'provider', 'billingShown', 'endpoint', 'endpoints')
        .orderBy('id')
      return rows.find(
        ({ billingShown: shown, ...row }) =>
          shown && isDeepStrictEqual(placeOfBills({ ...row, billingShown: shown }), place),
      )
    },
  }
}
