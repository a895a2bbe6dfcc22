import { conflict } from '../../domain/errors.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { isLockTimeout } from '../../store/driver/connect.ts'
import { limitLockWaits } from '../../store/driver/limit-lock-waits.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import type { Deps } from '../deps.ts'

const lockTimeoutMs = 3_000

/**
 * A transaction that locks an account. 409 `account_busy` where a merge holds what it needs: that can
 * take minutes, and others wait for what this transaction holds already.
 */
export async function holdingAccount<T>(
  { store }: Pick<Deps, 'store'>,
  { organizationId }: Caller,
  work: (tenant: Tenant) => Promise<T>,
): Promise<T> {
  const working = store.tenant(organizationId, async (tenant) => {
    await limitLockWaits(tenant, lockTimeoutMs)
    return work(tenant)
  })
  return working.catch((error: unknown) => {
    if (!isLockTimeout(error)) throw error
    throw conflict('account_busy', 'What a sync found is being stored. Try again in a minute.')
  })
}
