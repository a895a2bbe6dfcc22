import { unwrap, type Tenant } from '../driver/tenant.ts'

type OfSource = { ingestId: number; sourceId: number }

/** What an ingest loaded of a source, and the count of anomalies that came of it. */
export function loadedByIngest(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  return {
    /** The first days of the months whose current slice it brought. */
    async periods(at: OfSource): Promise<string[]> {
      const rows = await db('billing_slices')
        .where({ organizationId, ...at, isCurrent: true })
        .orderBy('period')
        .select('period')
      return rows.map(({ period }) => period)
    },

    /** The first day of the earliest month whose current slice it brought, of any source. */
    async firstPeriod(ingestId: number): Promise<string | undefined> {
      const row = await db('billing_slices')
        .where({ organizationId, ingestId, isCurrent: true })
        .min('period as period')
        .first()
      return row?.period ?? undefined
    },

    /** Current slices that it brought, and whose resources are not entered yet: the first few. */
    async unnoted(at: OfSource): Promise<number[]> {
      return db('billing_slices')
        .where({ organizationId, ...at, isCurrent: true, resourcesNoted: false })
        .orderBy('id')
        .limit(3)
        .pluck('id')
    },

    async addAnomalies(ingestId: number, count: number): Promise<void> {
      await db('billing_ingests')
        .where({ organizationId, id: ingestId })
        .update({ anomalies: db.raw('anomalies + ?', [count]) })
    },
  }
}
