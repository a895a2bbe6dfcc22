import { unwrap, type Tenant } from '../driver/tenant.ts'
export type HeldPerson = {
  email: string | null
  name: string
  passwordHash: string | null
  mfaEnabled: boolean
}

/**
 * Locks the person who signs in until the transaction ends, so that a concurrent change of password
 * or deactivation is seen. Otherwise a password that was right when its slow check began would open
 * a session after all sessions were ended.
 */
export async function holdPerson(tenant: Tenant, userId: number): Promise<HeldPerson | undefined> {
  const { db, organizationId } = unwrap(tenant)

  return db('users')
    .where({ organizationId, id: userId, active: true })
    .whereNull('deprovisionedAt')
    .forNoKeyUpdate()
    .first('email', 'name', 'passwordHash', 'mfaEnabled')
}
