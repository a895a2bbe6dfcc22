import { unwrap, type Tenant } from '../driver/tenant.ts'

export type IssuerKey = {
  id: number
  /** Sealed. */
  privateKey: Buffer
  signsFrom: Date
}

export const placeOfIssuerKey = (organizationId: number) =>
  ({ organizationId, table: 'issuer_keys', column: 'private_key' }) as const

/** A key signs this long. */
const days = 90
/** The next key is published this long before it signs, and the last one this long after. */
const overlap = `interval '24 hours'`
/** For a worker that is late by a few runs of its task. */
const margin = `interval '1 hour'`
/** The condition under which the newest key needs a successor now. */
export const needsNextKey = `max(signs_from) < now() - interval '${days} days' + ${overlap} + ${margin}`

/** The keys of one organization's issuer. */
export function issuerKeys(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  const rows = () => db('issuer_keys').where({ organizationId })
  /** One process at a time adds a key. */
  const lock = async () => db('organizations').where({ id: organizationId }).forNoKeyUpdate()

  return {
    /** Oldest first: those that sign, will sign, or signed tokens which are still valid. */
    async published(): Promise<IssuerKey[]> {
      return rows().orderBy(['signsFrom', 'id']).select('id', 'privateKey', 'signsFrom')
    },

    /** The key that signs now; undefined where there is none yet. */
    async signing(): Promise<IssuerKey | undefined> {
      return rows()
        .where('signsFrom', '<=', db.raw('now()'))
        .orderBy([
          { column: 'signsFrom', order: 'desc' },
          { column: 'id', order: 'desc' },
        ])
        .first('id', 'privateKey', 'signsFrom')
    },

    /** Stores the first key, unless another process just did. */
    async addFirst(privateKey: Buffer): Promise<void> {
      await lock()
      if (await rows().first('id')) return
      await db('issuer_keys').insert({ organizationId, privateKey, signsFrom: db.raw('now()') })
    },

    /**
     * Publishes the next key, unless another process just did, and returns whether it did. A key
     * that is published late signs late: verifiers may keep what they read for a day.
     */
    async addNext(privateKey: Buffer): Promise<boolean> {
      await lock()
      const { rows: added } = await db.raw(
        `insert into issuer_keys (organization_id, private_key, signs_from)
         select ?, ?, greatest(max(signs_from) + interval '${days} days', now() + ${overlap})
         from issuer_keys where organization_id = ? having ${needsNextKey} returning id`,
        [organizationId, privateKey, organizationId],
      )
      return added.length > 0
    },

    /** Deletes keys whose successor has signed for a day; returns how many. */
    async removeOld(): Promise<number> {
      const { rowCount } = await db.raw(
        `delete from issuer_keys where organization_id = :organizationId and signs_from <
           (select max(signs_from) from issuer_keys
            where organization_id = :organizationId and signs_from < now() - ${overlap})`,
        { organizationId },
      )
      return rowCount
    },
  }
}
