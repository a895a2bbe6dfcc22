import type { Endorsement } from '../../domain/signing/endorsement.ts'
import type { PublicSigningKey } from '../../domain/signing/signing-key.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

export const placeOfSigningKey = (organizationId: number) =>
  ({ organizationId, table: 'signing_keys', column: 'private_key' }) as const

export type NewSigningKey = PublicSigningKey & {
  /** Sealed. */
  privateKey: Buffer
  createdAt: Date
}

export type StoredSigningKey = PublicSigningKey & {
  createdAt: Date
  retiredAt: Date | null
  endorsements: Endorsement[]
}

export type SealedSigningKey = StoredSigningKey & { privateKey: Buffer }

const shown = ['keyId', 'publicKey', 'createdAt', 'retiredAt', 'endorsements'] as const

/** The keys with which one organization signs what it has built. One of them is current. */
export function signingKeys(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  const rows = () => db('signing_keys').where({ organizationId })

  return {
    /** Newest first. */
    async list(): Promise<SealedSigningKey[]> {
      return rows()
        .orderBy('id', 'desc')
        .select(...shown, 'privateKey')
    },

    async current(): Promise<SealedSigningKey | undefined> {
      return rows()
        .whereNull('retiredAt')
        .first(...shown, 'privateKey')
    },

    /** The organization's row is held, so that keys are made one after the other. */
    async hold(): Promise<{ publicId: string }> {
      return db('organizations').where({ id: organizationId }).forNoKeyUpdate().first('publicId')
    },

    /** The organization must be held. */
    async add(key: NewSigningKey, endorsements: readonly Endorsement[]): Promise<void> {
      await db('signing_keys').insert({
        organizationId,
        ...key,
        endorsements: JSON.stringify(endorsements),
      })
    },

    /** Compare-and-swap: false if another process has retired it. */
    async retire(keyId: string, by: Endorsement): Promise<boolean> {
      const retired = await rows()
        .where({ keyId })
        .whereNull('retiredAt')
        .update({
          retiredAt: db.fn.now(),
          endorsements: db.raw('endorsements || ?::jsonb', [JSON.stringify([by])]),
        })
      return retired === 1
    },
  }
}
