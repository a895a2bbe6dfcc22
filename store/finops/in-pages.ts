import { unwrap, type Tenant } from '../driver/tenant.ts'
import { camelRows } from './camel-rows.ts'

/**
 * Rows that are parsed and mapped in one turn of the event loop: about 10 ms of those with most columns. How many a
 * statement has in all is up to a tenant's bill, and other tenants' work waits for a turn.
 */
export const rowsAtOnce = 1_000

let cursors = 0

/**
 * The rows of a statement, some at once, by the names of their properties. The statement runs once: further pages come
 * from its cursor, which the transaction's end closes where the caller stops early.
 */
export async function* inPages<Row>(
  tenant: Tenant,
  sql: string,
  values: Record<string, unknown>,
): AsyncGenerator<Row[]> {
  const { db, organizationId } = unwrap(tenant)
  cursors += 1
  const cursor = `rows_${cursors}`
  // A cursor is planned for its first tenth otherwise, and all of it is read.
  await db.raw(`select set_config('cursor_tuple_fraction', '1', true)`)
  await db.raw(`declare ${cursor} no scroll cursor for ${sql}`, { organizationId, ...values })
  for (;;) {
    const { rows } = await db.raw(`fetch ${rowsAtOnce} from ${cursor}`)
    if (rows.length > 0) yield camelRows<Row>(rows)
    if (rows.length < rowsAtOnce) break
  }
  await db.raw(`close ${cursor}`)
}
