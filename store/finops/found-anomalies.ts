import { unwrap, type Tenant } from '../driver/tenant.ts'
import {
  anomalyColumns,
  type AnomalyDriver,
  type AnomalyFigures,
  type StoredAnomaly,
} from './anomalies.ts'

/** What a scoring reads and writes of the anomalies of one organization. */
export function foundAnomalies(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  const rows = () => db('anomalies').where({ organizationId })

  return {
    /** Those of these series that end on the day or later, locked: a verdict and a scoring exclude each other. */
    async holdSince(seriesIds: readonly number[], day: string): Promise<StoredAnomaly[]> {
      return rows()
        .whereIn('seriesId', seriesIds)
        .where('lastDay', '>=', day)
        .orderBy('id')
        .forUpdate()
        .select(anomalyColumns)
    },

    async add(seriesId: number, figures: AnomalyFigures): Promise<number> {
      const [row] = await db('anomalies')
        .insert({ organizationId, seriesId, ...figures })
        .returning('id')
      return row.id
    },

    async change(id: number, figures: AnomalyFigures): Promise<void> {
      await rows()
        .where({ id })
        .update({ ...figures, updatedAt: db.fn.now() })
    },

    async setDrivers(id: number, drivers: readonly AnomalyDriver[]): Promise<void> {
      await rows()
        .where({ id })
        .update({ drivers: JSON.stringify(drivers) })
    },

    async setTold(id: number, toldImpact: string): Promise<void> {
      await rows().where({ id }).update({ toldImpact })
    },

    /** Open ones of a source, or of scopes, that nobody was told of yet: a scoring that broke off left them so. */
    async untold(sourceId: number | null): Promise<Array<StoredAnomaly & { id: number }>> {
      return db('anomalies as a')
        .join('anomalySeries as s', function join() {
          this.on('s.organizationId', 'a.organizationId').andOn('s.id', 'a.seriesId')
        })
        .where({ 'a.organizationId': organizationId, 's.sourceId': sourceId, 'a.state': 'open' })
        .whereNull('a.toldImpact')
        .whereNull('a.parentId')
        .orderBy('a.id')
        .select(anomalyColumns.map((name) => `a.${name}`))
    },

    async delete(id: number): Promise<void> {
      await rows().where({ id }).delete()
    },
  }
}
