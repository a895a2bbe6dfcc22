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

/** The webhook deliveries of an organization's connections, each stored once. */
export function gitDeliveries(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  return {
    /** Its id; undefined if the delivery was stored before. */
    async create(connectionId: number, delivery: Delivery): Promise<number | undefined> {
      const { id: deliveryId, ...about } = delivery
      const [row] = await db('git_deliveries')
        .insert({ organizationId, connectionId, deliveryId, ...about })
        .onConflict(['connectionId', 'deliveryId'])
        .ignore()
        .returning('id')
      return row?.id
    },

    /** A delivery that is not processed yet. */
    async find(id: number): Promise<GitDelivery | undefined> {
      return db('git_deliveries')
        .where({ organizationId, id })
        .whereNull('handledAt')
        .first('id', 'connectionId', 'branches', 'tags', 'pullRequest', 'repository')
    },

    async end(id: number, outcome: string): Promise<void> {
      await db('git_deliveries')
        .where({ organizationId, id })
        .whereNull('handledAt')
        .update({ outcome, handledAt: db.fn.now() })
    },
  }
}
