import { unwrap, type Tenant } from '../driver/tenant.ts'

/** What the service itself notes about the channels of one organization. */
export function channelMarks(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  const row = (id: number) => db('notifications').where({ organizationId, id })

  return {
    /** The name of the channel; undefined if it is disabled already, or has another address by now. */
    async disable(
      id: number,
      { url, reason }: { url: Buffer; reason: string },
    ): Promise<string | undefined> {
      const [disabled] = await row(id)
        .where({ enabled: true, url })
        .update({ enabled: false, lastError: reason, updatedAt: db.fn.now() })
        .returning('name')
      return disabled?.name
    },

    /** Notes that the channel is tested now. False if it was within the last `seconds`. */
    async noteTest(id: number, seconds: number): Promise<boolean> {
      const earliest = db.raw('now() - make_interval(secs => ?)', [seconds])
      const noted = await row(id)
        .where((any) => void any.whereNull('testedAt').orWhere('testedAt', '<=', earliest))
        .update({ testedAt: db.fn.now() })
      return noted > 0
    },

    /** The old secret is valid beside the new one for so many hours. */
    async replaceSecret(
      id: number,
      { hours, ...sealed }: { secret: Buffer; oldSecret: Buffer; hours: number },
    ): Promise<void> {
      const until = db.raw('now() + make_interval(hours => ?)', [hours])
      await row(id).update({ ...sealed, oldSecretUntil: until, updatedAt: db.fn.now() })
    },
  }
}
