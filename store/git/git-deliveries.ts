import { unwrap, type Tenant } from '../driver/tenant.ts'
import type { Delivery } from '../../domain/git/webhook-delivery.ts'
import { takeDeliveryId, takeDeliveryType } from '../../workflows/git/contract.ts'
import { controlQueue } from '../../workflows/platform/contract.ts'
import { outbox } from '../outbox/outbox.ts'
import { nameOfRepository } from './name-of-repository.ts'

export type GitDelivery = {
  id: number
  connectionId: number
  branches: string[]
  pullRequest: number | null
}

/** The webhook deliveries of an organization's connections, each stored once. */
export function gitDeliveries(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  return {
    /** Stores a delivery and starts its workflow; false if it was stored before. */
    async take(connectionId: number, delivery: Delivery): Promise<boolean> {
      const { id: deliveryId, branches, pullRequest } = delivery
      const [row] = await db('git_deliveries')
        .insert({ organizationId, connectionId, deliveryId, branches, pullRequest })
        .onConflict(['connectionId', 'deliveryId'])
        .ignore()
        .returning('id')
      if (!row) return false
      const input = { organizationId, deliveryId: row.id }
      const repository = await nameOfRepository(tenant, connectionId)
      await outbox(tenant).start({
        workflowType: takeDeliveryType,
        workflowId: takeDeliveryId(input),
        taskQueue: controlQueue,
        input,
        summary: `${repository}, ${pullRequest === null ? 'push' : `pull request ${pullRequest}`}`,
        searchAttributes: { OrgId: `org-${organizationId}` },
        dedupeKey: `git-delivery/${row.id}`,
      })
      return true
    },

    /** A delivery that is not processed yet. */
    async find(id: number): Promise<GitDelivery | undefined> {
      return db('git_deliveries')
        .where({ organizationId, id })
        .whereNull('handledAt')
        .first('id', 'connectionId', 'branches', 'pullRequest')
    },

    async end(id: number, outcome: string): Promise<void> {
      await db('git_deliveries')
        .where({ organizationId, id })
        .whereNull('handledAt')
        .update({ outcome, handledAt: db.fn.now() })
    },
  }
}
