import { unwrap, type Tenant } from '../driver/tenant.ts'
import type { StoredAnomaly } from './anomalies.ts'

/** Which anomalies of one organization stand below which. */
export function foldedAnomalies(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  return {
    /** Those of a source's services that end on the day or later, dearest first. */
    async listOfServices(
      sourceId: number,
      since: string,
    ): Promise<
      Array<
        Pick<StoredAnomaly, 'id' | 'parentId' | 'firstDay' | 'lastDay' | 'state' | 'toldImpact'> & {
          service: string
        }
      >
    > {
      return db('anomalies as a')
        .join('anomaly_series as s', (on) =>
          on.on('s.organizationId', 'a.organizationId').andOn('s.id', 'a.seriesId'),
        )
        .where({ 'a.organizationId': organizationId, 's.sourceId': sourceId })
        .where('a.lastDay', '>=', since)
        .orderBy([{ column: 'a.impact', order: 'desc' }, 'a.id'])
        .select('a.id', 'a.parentId', 'a.firstDay', 'a.lastDay', 'a.state', 'a.toldImpact')
        .select(db.raw(`jsonb_build_array(s.provider, s.service, s.currency)::text as service`))
    },

    async putBelow(id: number, parentId: number | null): Promise<void> {
      await db('anomalies').where({ organizationId, id }).update({ parentId })
    },

    /** Notes the first day of those that are below each of a source's. Answers of how many it is another one now. */
    async noteDaysBelow(sourceId: number): Promise<number> {
      const { rowCount } = await db.raw(
        `update anomalies a set first_day_below = p.below
         from (
           select p.id, min(c.first_day) as below
           from anomalies p
             left join anomalies c on c.organization_id = p.organization_id and c.parent_id = p.id
           where p.organization_id = :organizationId
             and p.series_id in (select id from anomaly_series
               where organization_id = :organizationId and source_id = :sourceId)
           group by p.id) p
         where a.organization_id = :organizationId and a.id = p.id
           and a.first_day_below is distinct from p.below`,
        { organizationId, sourceId },
      )
      return rowCount
    },
  }
}
