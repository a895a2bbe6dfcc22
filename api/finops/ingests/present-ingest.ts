import type { Tenant } from '../../../store/driver/tenant.ts'
import {
  readIngests,
  type ReadIngest,
  type ReadIngestSlice,
} from '../../../store/finops/read-ingests.ts'
import type { IngestBody, IngestSummaryBody } from './schemas.ts'

/** An ingest with what became of each account and source, and of their months. */
export async function presentIngest(tenant: Tenant, ingestId: number): Promise<IngestBody> {
  const ingests = readIngests(tenant)
  const ingest = await ingests.get(ingestId)
  const slices = await ingests.slices(ingestId)
  const bySource = Map.groupBy(slices, ({ sourceId }) => sourceId)
  const sources = await ingests.sources(ingestId)
  return {
    ...presentSummary(ingest),
    accounts: sources.map(({ sourceId, cloudAccountId, source, name, state, reason }) => ({
      accountId: cloudAccountId,
      source,
      name,
      state,
      reason,
      slices: (bySource.get(sourceId) ?? []).map(presentSlice),
    })),
  }
}

export const presentSummary = ({
  id,
  trigger,
  state,
  startedAt,
  endedAt,
  rowsRead,
  recordsUpserted,
  recordsRejected,
  anomalies,
}: ReadIngest): IngestSummaryBody => ({
  id,
  trigger,
  state,
  startedAt: startedAt.toISOString(),
  endedAt: endedAt?.toISOString() ?? null,
  rowsRead,
  recordsUpserted,
  recordsRejected,
  anomalies,
})

function presentSlice({ sourceId: _, period, ...slice }: ReadIngestSlice) {
  return {
    ...slice,
    period: period?.slice(0, 7) ?? null,
    billed: Number(slice.billed),
    effective: Number(slice.effective),
    list: Number(slice.list),
  }
}
