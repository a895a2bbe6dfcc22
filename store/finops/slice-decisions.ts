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

    /**
     * After a change of what the money of a month (`2026-03`) is worth. One slice is enough: with it all budgets of
     * the organization are looked at.
     */
    async planEvaluation(month: string): Promise<void> {
      const newest = rows()
        .where({ isCurrent: true, period: `${month}-01` })
        .orderBy('id', 'desc')
        .limit(1)
        .select('id')
      await rows().whereIn('id', newest).update({ scoreAt: db.fn.now() })
    },

    /** Has no effect on what was asked for since the claim: figures of before that were scored. */
    async endScore(id: number, claimedUntil: string): Promise<void> {
      await rows()
        .where({ id })
        .whereRaw('score_at = ?::timestamptz', [claimedUntil])
        .update({ scoreAt: null })
    },
  }
}
