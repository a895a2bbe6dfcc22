import { unwrap, type Tenant } from './tenant.ts'

/** From here to the end of the transaction, a statement fails once it ran for so long. */
export async function limitStatements(tenant: Tenant, timeoutMs: number): Promise<void> {
  await unwrap(tenant).db.raw(`select set_config('statement_timeout', ?, true)`, [`${timeoutMs}ms`])
}
