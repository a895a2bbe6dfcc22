import type { SourceState } from '../../domain/finops/ingest-state.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

export type IngestSource = {
  sourceId: number
  cloudAccountId: number | null
  state: SourceState
  reason: string | null
}

/** What becomes of each source in the ingests of one organization. */
export function ingestSources(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  const rows = () => db('billing_ingest_sources').where({ organizationId })

  return {
    /** Those that were not looked at yet. */
    async waiting(ingestId: number, limit: number): Promise<number[]> {
      const waiting = rows().where({ ingestId, state: 'waiting' }).orderBy('sourceId').limit(limit)
      const found: Array<{ sourceId: number }> = await waiting.select('sourceId')
      return found.map(({ sourceId }) => sourceId)
    },

    /** Undefined unless the source waits in this ingest. */
    async findWaiting(at: {
      ingestId: number
      sourceId: number
    }): Promise<{ cloudAccountId: number | null } | undefined> {
      return db('billing_ingest_sources as i')
        .join('billing_sources as s', (on) =>
          on.on('s.organizationId', 'i.organizationId').andOn('s.id', 'i.sourceId'),
        )
        .join('billing_ingests as g', (on) =>
          on.on('g.organizationId', 'i.organizationId').andOn('g.id', 'i.ingestId'),
        )
        .where({ 'i.organizationId': organizationId, 'i.state': 'waiting', 'g.state': 'running' })
        .where({ 'i.ingestId': at.ingestId, 'i.sourceId': at.sourceId })
        .whereNull('s.removedAt')
        .first('s.cloudAccountId')
    },

    async find(at: {
      ingestId: number
      sourceId: number
    }): Promise<Pick<IngestSource, 'state' | 'reason'> | undefined> {
      return rows().where(at).first('state', 'reason')
    },

    async note(
      at: { ingestId: number; sourceId: number },
      { state, reason }: { state: SourceState; reason: string | null },
    ): Promise<void> {
      await rows().where(at).update({ state, reason })
    },

    /** A reason of an attempt that may be the last one; the state stays. */
    async noteReason(at: { ingestId: number; sourceId: number }, reason: string): Promise<void> {
      await rows().where(at).where({ state: 'waiting' }).update({ reason })
    },

    async list(ingestId: number): Promise<IngestSource[]> {
      return rows().where({ ingestId }).orderBy('sourceId').select('sourceId', 'state', 'reason')
    },
  }
}
