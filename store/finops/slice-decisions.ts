import { unwrap, type Tenant } from '../driver/tenant.ts'

/** What a person decided about slices of one organization, and what follows of it. */
export function sliceDecisions(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  const rows = () => db('billing_slices').where({ organizationId })

  return {
    async note(id: number, userId: number | null): Promise<void> {
      await rows().where({ id }).update({ decidedBy: userId, decidedAt: db.fn.now() })
    },

    /** A worker looks for anomalies in it (worker/tasks/score-accepted.ts). */
    async planScore(id: number): Promise<void> {
      await rows().where({ id }).update({ scoreAt: db.fn.now() })
    },

    /** The same for all that an ingest has loaded, whose own scoring was lost with it. */
    async planScoresOf(ingestId: number): Promise<void> {
      await rows().where({ ingestId, isCurrent: true }).update({ scoreAt: db.fn.now() })
    },

    async endScore(id: number): Promise<void> {
      await rows().where({ id }).update({ scoreAt: null })
    },
  }
}
