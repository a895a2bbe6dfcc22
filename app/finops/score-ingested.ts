import type { Store } from '../../store/driver/connect.ts'
import { loadedByIngest } from '../../store/finops/loaded-by-ingest.ts'
import { firstDayOf, scoreAnomalies } from './score-anomalies.ts'
import { scoreScopes } from './score-scopes.ts'

type OfIngest = { organizationId: number; ingestId: number }

/**
 * Scores the whole cost and the tags once all that an ingest loaded is scored: what its services explain is known
 * then. Idempotent likewise.
 */
export async function scoreScopesOfIngest(
  store: Store,
  { organizationId, ingestId }: OfIngest,
): Promise<void> {
  const first = await store.tenant(organizationId, async (tenant) =>
    loadedByIngest(tenant).firstPeriod(ingestId),
  )
  if (first === undefined) return
  const from = firstDayOf(first)
  const { anomalies } = await scoreScopes(store, { organizationId, from })
  if (anomalies === 0) return
  await store.tenant(organizationId, async (tenant) =>
    loadedByIngest(tenant).addAnomalies(ingestId, anomalies),
  )
}

type At = { organizationId: number; ingestId: number; sourceId: number }

/** Scores what an ingest loaded of a source. Idempotent: what an attempt before this one scored is not counted again. */
export async function scoreIngested(store: Store, { organizationId, ...at }: At): Promise<void> {
  const periods = await store.tenant(organizationId, async (tenant) =>
    loadedByIngest(tenant).periods(at),
  )
  if (periods.length === 0) return
  const { sourceId, ingestId } = at
  const changed = periods.map((period) => ({ sourceId, period }))
  const { anomalies } = await scoreAnomalies(store, organizationId, changed)
  if (anomalies === 0) return
  await store.tenant(organizationId, async (tenant) =>
    loadedByIngest(tenant).addAnomalies(ingestId, anomalies),
  )
}
