import type { Db } from '../connect.ts'

export type HeldPerson = {
  email: string | null
  name: string
  passwordHash: string | null
  mfaEnabled: boolean
}

/**
 * Whoever signs in, held until the transaction ends: a password that is changed or an
 * account that is closed at this moment waits, or is seen here. Otherwise a password that
 * was right when its slow check began would make a session after all of them were ended.
 */
export async function holdPerson(
  db: Db,
  organizationId: number,
  userId: number,
): Promise<HeldPerson | undefined> {
  return db('users')
    .where({ organizationId, id: userId, active: true })
    .whereNull('deprovisionedAt')
    .forNoKeyUpdate()
    .first('email', 'name', 'passwordHash', 'mfaEnabled')
}
