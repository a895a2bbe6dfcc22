import { unwrap, type Tenant } from './tenant.ts'

/** The same for all calls in one transaction, and never given again: a key of what that transaction starts. */
export async function transactionId(tenant: Tenant): Promise<string> {
  const { rows } = await unwrap(tenant).db.raw(`select txid_current() as id`)
  return String(rows[0].id)
}
