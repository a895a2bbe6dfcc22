import type { Delivery } from '../../domain/git/webhook-delivery.ts'
import { takeDeliveryId, takeDeliveryType } from '../../workflows/git/contract.ts'
import { controlQueue } from '../../workflows/platform/contract.ts'
import type { Db } from '../connect.ts'
import { outbox } from '../outbox/outbox.ts'

export type GitDelivery = {
  id: number
  connectionId: number
  branches: string[]
  pullRequest: number | null
}

/** What Git hosts told an organization's connections of, each delivery once. */
export function gitDeliveries(db: Db, organizationId: number) {
  return {
    /** Takes it, and has it looked into; false where it was taken before. */
    async take(connectionId: number, delivery: Delivery): Promise<boolean> {
      const { id: deliveryId, branches, pullRequest } = delivery
      const [row] = await db('git_deliveries')
        .insert({ organizationId, connectionId, deliveryId, branches, pullRequest })
        .onConflict(['connectionId', 'deliveryId'])
        .ignore()
        .returning('id')
      if (!row) return false
      const input = { organizationId, deliveryId: row.id }
      await outbox(db, organizationId).start({
        workflowType: takeDeliveryType,
        workflowId: takeDeliveryId(input),
        taskQueue: controlQueue,
        input,
        summary: pullRequest === null ? 'a push' : `pull request ${pullRequest}`,
        searchAttributes: { OrgId: `org-${organizationId}` },
        dedupeKey: `git-delivery/${row.id}`,
      })
      return true
    },

    /** One that is still to be looked into. */
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
