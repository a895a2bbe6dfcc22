import { assertOrder } from '../../../domain/finops/cost-query.ts'
import { costStand } from '../../../store/finops/cost/cost-stand.ts'
import { shownAnomalies } from '../../../store/finops/shown-anomalies.ts'
import type { Deps } from '../../deps.ts'
import { anomalyCursor, placeOfCursor } from './anomaly-cursor.ts'
import { presentAnomaly } from './present-anomaly.ts'
import type { AnomalyBody, AnomalyQuery } from './schemas.ts'

/** A page of the anomalies that match, newest first. */
export async function listAnomalies(
  { store }: Pick<Deps, 'store'>,
  organizationId: number,
  { limit = 50, cursor, ...filters }: AnomalyQuery,
): Promise<{ anomalies: AnomalyBody[]; nextCursor: string | null }> {
  assertOrder(filters)
  const after = cursor === undefined ? undefined : placeOfCursor(cursor)
  // A foreign id is not found, rather than a thing without anomalies.
  await costStand(store, organizationId, filters)
  return store.tenant(organizationId, async (tenant) => {
    const { anomalies, hasMore } = await shownAnomalies(tenant).page(filters, limit, after)
    const last = anomalies.at(-1)
    return {
      anomalies: anomalies.map(presentAnomaly),
      nextCursor: hasMore && last ? anomalyCursor(last) : null,
    }
  })
}
