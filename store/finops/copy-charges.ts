import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { from } from 'pg-copy-streams'
import { copyColumns } from '../../domain/finops/focus/charge-columns.ts'
import { conflict, notFound } from '../../domain/errors.ts'
import type { Store } from '../driver/connect.ts'
import { unwrapLoad } from '../driver/load-connection.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

type At = { organizationId: number; sliceId: number }

/**
 * Adds the charges of the reader's file to a slice that is being read, and answers how many. All of
 * them are added or none. Nobody sees them before the slice is the current one.
 */
export async function copyCharges(
  store: Store,
  { organizationId, sliceId }: At,
  charges: () => Readable,
): Promise<number> {
  // Made in a transaction of its own, whose lock would keep other organizations' new months waiting.
  const partition = await store.tenant(organizationId, async (tenant) =>
    ensurePartition(tenant, sliceId),
  )
  return store.load(organizationId, async (load) => {
    const client = unwrapLoad(load)
    // The row's lock keeps a second attempt, and the swap, waiting until this one has ended.
    const { rows } = await client.query(holdSlice, [organizationId, sliceId])
    if (!rows[0]) throw conflict('slice_not_reading', 'The slice is no longer being read.')
    const copy = client.query(
      from(`copy ${partition} (${copyColumns.join(', ')}) from stdin with (format csv)`),
    )
    // Opened here: a stream that fails before somebody listens would end the process.
    await pipeline(charges(), copy)
    return copy.rowCount
  })
}

/** Its name is of digits and fixed words. */
async function ensurePartition(tenant: Tenant, sliceId: number): Promise<string> {
  const { db, organizationId } = unwrap(tenant)
  const { rows } = await db.raw(
    `select ensure_charge_partition(period) as partition from billing_slices
     where organization_id = ? and id = ? and period is not null`,
    [organizationId, sliceId],
  )
  if (!rows[0]) throw notFound()
  return rows[0].partition
}

const holdSlice = `
  with held as (
    update billing_slices set has_charges = true, rolled_up_at = null
    where organization_id = $1 and id = $2 and state = 'reading' returning id, period)
  select set_config('cc.slice_id', id::text, true), set_config('cc.period', period::text, true) from held`
