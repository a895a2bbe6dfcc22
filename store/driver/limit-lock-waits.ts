import { unwrap, type Tenant } from './tenant.ts'

/** From here to the end of the transaction, a statement fails once it waited for a lock for so long. */
export async function limitLockWaits(tenant: Tenant, timeoutMs: number): Promise<void> {
  await unwrap(tenant).db.raw(`select set_config('lock_timeout', ?, true)`, [`${timeoutMs}ms`])
}
