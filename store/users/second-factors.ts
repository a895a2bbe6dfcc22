import { unwrap, type Tenant } from '../driver/tenant.ts'
export type SecondFactor = { secret: Buffer; enabled: boolean }

/** The second factors of one organization's people: a sealed secret and ten hashed recovery codes each. */
export function secondFactors(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  const own = (userId: number) => ({ organizationId, userId })

  return {
    async find(userId: number): Promise<SecondFactor | undefined> {
      const row = await db('second_factors as f')
        .join('users as u', (on) =>
          on.on('u.organizationId', 'f.organizationId').andOn('u.id', 'f.userId'),
        )
        .where({ 'f.organizationId': organizationId, 'f.userId': userId })
        .first('f.secret', 'u.mfaEnabled as enabled')
      return row
    },

    /** Replaces an enrolment that was never activated. */
    async enroll(userId: number, secret: Buffer): Promise<void> {
      await db('second_factors')
        .insert({ ...own(userId), secret })
        .onConflict(['organizationId', 'userId'])
        .merge({ secret, lastStep: null, createdAt: db.fn.now() })
    },

    async activate(userId: number, recoveryCodeHashes: Buffer[]): Promise<void> {
      await db('recovery_codes').where(own(userId)).delete()
      await db('recovery_codes').insert(
        recoveryCodeHashes.map((hash) => ({ ...own(userId), hash })),
      )
      await db('users').where({ organizationId, id: userId }).update({ mfaEnabled: true })
    },

    async remove(userId: number): Promise<void> {
      await db('recovery_codes').where(own(userId)).delete()
      await db('second_factors').where(own(userId)).delete()
      await db('users').where({ organizationId, id: userId }).update({ mfaEnabled: false })
    },

    /** Compare-and-swap: of two requests with one code, or a replayed older code, at most one gets `true`. */
    async takeStep(userId: number, step: number): Promise<boolean> {
      const taken = await db('second_factors')
        .where(own(userId))
        .where((either) => void either.whereNull('lastStep').orWhere('lastStep', '<', step))
        .update({ lastStep: step })
      return taken === 1
    },

    async takeRecoveryCode(userId: number, hash: Buffer): Promise<boolean> {
      const taken = await db('recovery_codes')
        .where({ ...own(userId), hash })
        .whereNull('usedAt')
        .update({ usedAt: db.fn.now() })
      return taken === 1
    },

    async recoveryCodesLeft(userId: number): Promise<number> {
      const row = await db('recovery_codes')
        .where(own(userId))
        .whereNull('usedAt')
        .count('* as left')
        .first()
      return Number(row?.['left'] ?? 0)
    },
  }
}
