import { maxId } from '../../../domain/max-id.ts'
import type { Tenant } from '../../../store/driver/tenant.ts'
import {
  readIngests,
  type PlaceInIngest,
  type ReadIngest,
  type ReadIngestSlice,
  type ReadIngestSource,
} from '../../../store/finops/read-ingests.ts'
import type { IngestBody, IngestSummaryBody } from './schemas.ts'

type Part = {
  /** Of the part before. */
  cursor?: string
  /** An upload whose own slices are to be in the answer, on whatever part they are. */
  manifest?: string
}

/** An ingest with what became of each account and source, and of their months: a part of them, for they may be many. */
export async function presentIngest(
  tenant: Tenant,
  ingestId: number,
  { cursor = '0.0', manifest }: Part = {},
): Promise<IngestBody> {
  const ingests = readIngests(tenant)
  const ingest = await ingests.get(ingestId)
  const { sources, slices, next } = await ingests.outcome(ingestId, placeOfCursor(cursor))
  const own = manifest === undefined ? [] : await ingests.slicesOfManifest(ingestId, manifest)
  const shown = new Set(slices.map(({ id }) => id))
  const bySource = Map.groupBy(
    [...slices, ...own.filter(({ id }) => !shown.has(id))],
    ({ sourceId }) => sourceId,
  )
  const [first] = own
  const missing =
    first && !sources.some(({ sourceId }) => sourceId === first.sourceId)
      ? await ingests.sourceOf(ingestId, first.sourceId)
      : undefined
  return {
    ...presentSummary(ingest),
    accounts: [...(missing ? [missing] : []), ...sources].map((source) =>
      presentSource(source, bySource.get(source.sourceId) ?? []),
    ),
    nextCursor: next && `${next.sourceId}.${next.sliceId}`,
  }
}

/** One that no answer named leads to an empty part at worst. */
function placeOfCursor(cursor: string): PlaceInIngest {
  const [sourceId = 0, sliceId = 0] = cursor.split('.').map((part) => Math.min(Number(part), maxId))
  return { sourceId, sliceId }
}

const presentSource = (
  { cloudAccountId, source, name, state, reason }: ReadIngestSource,
  slices: readonly ReadIngestSlice[],
): IngestBody['accounts'][number] => ({
  accountId: cloudAccountId,
  source,
  name,
  state,
  reason,
  // A page has them by id. Those without a month last.
  slices: slices
    .toSorted((a, b) =>
      (a.period ?? '~') < (b.period ?? '~') ? -1 : a.period === b.period ? a.id - b.id : 1,
    )
    .map(presentSlice),
})

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
