import type { IngestState, IngestTrigger } from '../../domain/finops/ingest-state.ts'
import { notFound } from '../../domain/errors.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

export type BillingIngest = { id: number; trigger: IngestTrigger; state: IngestState }

const columns = ['id', 'trigger', 'state']

/** The ingests of one organization: one at a time. */
export function billingIngests(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  const rows = () => db('billing_ingests').where({ organizationId })

  return {
    /** The live ingest, new unless there was one. One that was joined looks once more. */
    async begin(trigger: IngestTrigger): Promise<{ ingest: BillingIngest; isNew: boolean }> {
      const isRequested = trigger === 'request'
      const [joined] = await rows()
        .where({ state: 'running' })
        .update({ lookAgain: true, ...(isRequested && { isRequested }) })
        .returning(columns)
      if (joined) return { ingest: joined, isNew: false }
      const [made] = await db('billing_ingests')
        .insert({ organizationId, trigger, isRequested })
        .onConflict(db.raw(`(organization_id) where state = 'running'`))
        .ignore()
        .returning(columns)
      // Otherwise another one began between the two statements.
      return made ? { ingest: made, isNew: true } : this.begin(trigger)
    },

    async stateOf(id: number): Promise<IngestState> {
      const row = await rows().where({ id }).first('state')
      if (!row) throw notFound()
      return row.state
    },

    /** Whether a person asked for it, from its beginning or while it ran. */
    async isRequested(id: number): Promise<boolean> {
      const row = await rows().where({ id }).first('isRequested')
      return row?.isRequested === true
    },

    /** Locks the row until the transaction ends. */
    async getForUpdate(id: number): Promise<BillingIngest> {
      const row = await rows().where({ id }).forUpdate().first(columns)
      if (!row) throw notFound()
      return row
    },

    /** True if it was asked to look once more, which is noted no longer. */
    async takeLookAgain(id: number): Promise<boolean> {
      const taken = await rows().where({ id, lookAgain: true }).update({ lookAgain: false })
      return taken === 1
    },

    /** Tells those who wait for it. */
    async end(id: number, state: Exclude<IngestState, 'running'>): Promise<void> {
      await rows().where({ id, state: 'running' }).update({ state, endedAt: db.fn.now() })
      await db.raw(`select pg_notify('cc_ingest', ?)`, [String(id)])
    },

    /** What a person decided about a slice may change what became of the whole. */
    async restate(id: number, state: Exclude<IngestState, 'running'>): Promise<void> {
      await rows().where({ id }).whereNot({ state: 'running' }).update({ state })
    },
  }
}
