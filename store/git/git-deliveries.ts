import { unwrap, type Tenant } from '../driver/tenant.ts'
import type { Delivery } from '../../domain/git/webhook-delivery.ts'

export type GitDelivery = {
  id: number
  connectionId: number
  branches: string[]
  tags: string[]
  pullRequest: number | null
  /** Null: of the connection's own. */
  repository: string | null
}

/** An attempt to process a delivery. The milliseconds tell it apart from the delivery's other ones. */
export type DeliveryAttempt = { id: number; receivedAtMs: number }

/** The webhook deliveries of an organization's connections, each stored once. */
export function gitDeliveries(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  return {
    /** Its first attempt; undefined if the delivery was stored before. */
    async create(connectionId: number, delivery: Delivery): Promise<DeliveryAttempt | undefined> {
      const { id: deliveryId, ...about } = delivery
      const [row] = await db('git_deliveries')
        .insert({ organizationId, connectionId, deliveryId, ...about })
        .onConflict(['connectionId', 'deliveryId'])
        .ignore()
        .returning(['id', 'receivedAt'])
      return row && attemptOf(row)
    },

    /**
     * Another attempt of a delivery whose last one failed; undefined if it was handled, or is under way. Of
     * several calls at once, one gets it: the others wait for the row, and then find it open.
     */
    async reopen(connectionId: number, deliveryId: string): Promise<DeliveryAttempt | undefined> {
      const [row] = await db('git_deliveries')
        .where({ organizationId, connectionId, deliveryId })
        .whereNotNull('handledAt')
        .whereNot({ outcome: 'handled' })
        // Not the transaction's start, which may be before the end of the attempt that failed.
        .update({ outcome: null, handledAt: null, receivedAt: db.raw('clock_timestamp()') })
        .returning(['id', 'receivedAt'])
      return row && attemptOf(row)
    },

    /** A delivery that is not processed yet. */
    async find(id: number): Promise<GitDelivery | undefined> {
      return db('git_deliveries')
        .where({ organizationId, id })
        .whereNull('handledAt')
        .first('id', 'connectionId', 'branches', 'tags', 'pullRequest', 'repository')
    },

    /** Has no effect once the delivery was received again: a repeated last step must not end the attempt after it. */
    async end(id: number, outcome: string, receivedAtMs?: number): Promise<void> {
      const ending = db('git_deliveries').where({ organizationId, id }).whereNull('handledAt')
      if (receivedAtMs !== undefined)
        // A `Date` has milliseconds, the column microseconds.
        void ending.whereRaw(`date_trunc('milliseconds', received_at) = ?`, [
          new Date(receivedAtMs),
        ])
      await ending.update({ outcome, handledAt: db.fn.now() })
    },
  }
}

const attemptOf = ({ id, receivedAt }: { id: number; receivedAt: Date }): DeliveryAttempt => ({
  id,
  receivedAtMs: receivedAt.getTime(),
})
