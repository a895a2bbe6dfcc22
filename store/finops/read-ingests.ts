import type {
  IngestState,
  IngestTrigger,
  SliceState,
  SourceState,
} from '../../domain/finops/ingest-state.ts'
import { notFound } from '../../domain/errors.ts'
import { maxId } from '../../domain/max-id.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import type { BillError } from './refused-slices.ts'

export type ReadIngest = {
  id: number
  trigger: IngestTrigger
  state: IngestState
  startedAt: Date
  endedAt: Date | null
  rowsRead: number
  recordsUpserted: number
  recordsRejected: number
  anomalies: number
}
export type ReadIngestSource = {
  sourceId: number
  cloudAccountId: number | null
  /** The name of its uploads. */
  source: string | null
  /** What people call it. */
  name: string
  state: SourceState
  reason: string | null
}
export type ReadIngestSlice = {
  id: number
  sourceId: number
  period: string | null
  state: SliceState
  reason: string | null
  manifest: string | null
  files: number
  rowsRead: number
  recordsUpserted: number
  recordsRemoved: number
  recordsRejected: number
  /** Decimal text. */
  billed: string
  effective: string
  list: string
  currency: string | null
  completeThrough: string | null
  errors: BillError[]
}
export type AccountIngest = ReadIngest & { cloudAccountId: number; completeThrough: string | null }
/** A slice of a source; `maxId`: the end of the source. */
export type PlaceInIngest = { sourceId: number; sliceId: number }
export type IngestOutcome = {
  sources: ReadIngestSource[]
  slices: ReadIngestSlice[]
  /** Where the next part begins; null at the end. */
  next: PlaceInIngest | null
}
type Filters = { state?: IngestState[]; accountId?: number[] }

/** Of a part of an ingest's outcome. Bytes are those of reasons, names and errors; one slice has some in any case. */
const mostSources = 200
const mostSlices = 500
const sliceBytes = 393_216

const columns = [
  'id',
  'trigger',
  'state',
  'startedAt',
  'endedAt',
  'rowsRead',
  'recordsUpserted',
  'recordsRejected',
  'anomalies',
]

/** The ingests of one organization, as people read them. */
export function readIngests(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  const rows = () => db('billing_ingests').where({ organizationId })

  return {
    async get(id: number): Promise<ReadIngest> {
      const row = await rows().where({ id }).first(columns)
      if (!row) throw notFound()
      return row
    },

    /** Newest first. */
    async list(
      { state, accountId }: Filters,
      { limit, before }: { limit: number; before: number },
    ): Promise<ReadIngest[]> {
      const found = rows().where('id', '<', before)
      if (state) found.whereIn('state', state)
      if (accountId) found.whereRaw(`id in ${ofAccounts}`, [organizationId, accountId])
      return found.orderBy('id', 'desc').limit(limit).select(columns)
    },

    /** The newest ingest in which each of these accounts was looked at, and how far its bill is complete. */
    async newestOfAccounts(accountIds: readonly number[]): Promise<AccountIngest[]> {
      const { rows: found } = await db.raw(newestOfAccounts, {
        organizationId,
        accountIds: [...accountIds],
      })
      return found
    },

    /** What became of the sources after this place, by id, and of their slices. */
    async outcome(ingestId: number, after: PlaceInIngest): Promise<IngestOutcome> {
      return readOutcome(tenant, { ingestId, after })
    },

    /** What became of an upload in an ingest: its refused months first, 50 at most. */
    async slicesOfManifest(ingestId: number, manifest: string): Promise<ReadIngestSlice[]> {
      const { rows: found } = await db.raw(ofManifest, { organizationId, ingestId, manifest })
      return found
    },

    async sourceOf(ingestId: number, sourceId: number): Promise<ReadIngestSource | undefined> {
      const after = { sourceId: sourceId - 1, sliceId: maxId }
      const at = { organizationId, ingestId, ...after, limit: 1 }
      const { rows: found } = await db.raw(sources, at)
      return found.find((one: ReadIngestSource) => one.sourceId === sourceId)
    },
  }
}

async function readOutcome(
  tenant: Tenant,
  { ingestId, after }: { ingestId: number; after: PlaceInIngest },
): Promise<IngestOutcome> {
  const { db, organizationId } = unwrap(tenant)
  const at = { organizationId, ingestId, ...after }
  const { rows: found } = await db.raw(sources, { ...at, limit: mostSources + 1 })
  const shown: ReadIngestSource[] = found.slice(0, mostSources)
  const sourceIds = shown.map(({ sourceId }) => sourceId)
  const cut = { mostSlices, sliceBytes }
  const { rows: ofSources } = await db.raw(slices, { ...at, ...cut, sourceIds })
  const last: (ReadIngestSlice & { isCut: boolean }) | undefined = ofSources.at(-1)
  const own = ofSources.map(({ isCut: _, ...slice }: { isCut: boolean }) => slice)
  if (last?.isCut)
    return {
      sources: shown.filter(({ sourceId }) => sourceId <= last.sourceId),
      slices: own,
      next: { sourceId: last.sourceId, sliceId: last.id },
    }
  const end = shown.at(-1)
  const isMore = found.length > shown.length && end !== undefined
  return {
    sources: shown,
    slices: own,
    next: isMore ? { sourceId: end.sourceId, sliceId: maxId } : null,
  }
}

const ofAccounts = `
  (select i.ingest_id from billing_ingest_sources i
    join billing_sources s on s.organization_id = i.organization_id and s.id = i.source_id
    where i.organization_id = ? and s.cloud_account_id = any(?::integer[]))`

const sources = `
  select s.id as "sourceId", s.cloud_account_id as "cloudAccountId", s.name as source,
    coalesce(s.name, a.name, '') as name, i.state, i.reason
  from billing_ingest_sources i
    join billing_sources s on s.organization_id = i.organization_id and s.id = i.source_id
    left join cloud_accounts a on a.organization_id = s.organization_id and a.id = s.cloud_account_id
  where i.organization_id = :organizationId and i.ingest_id = :ingestId
    and i.source_id >= case when :sliceId::integer = ${maxId} then :sourceId::bigint + 1 else :sourceId end
  order by i.source_id limit :limit`

const ofSlice = `id, source_id as "sourceId", period, state, reason, manifest, files, rows_read as "rowsRead",
    records_upserted as "recordsUpserted", records_removed as "recordsRemoved",
    records_rejected as "recordsRejected", billed, effective, list, currency,
    complete_through as "completeThrough", errors`

const slices = `
  with next_slices as (
    select *, octet_length(errors::text) + coalesce(octet_length(reason), 0) + coalesce(octet_length(manifest), 0) as bytes
    from billing_slices
    where organization_id = :organizationId and ingest_id = :ingestId and source_id = any(:sourceIds::integer[])
      and (source_id, id) > (:sourceId, :sliceId)
    order by source_id, id limit :mostSlices + 1),
  summed as (
    select *, row_number() over w as place, count(*) over () as found, sum(bytes) over w as bytes_so_far
    from next_slices window w as (order by source_id, id)),
  fitting as (
    select *, count(*) over () as shown from summed
    where place = 1 or place <= :mostSlices and bytes_so_far <= :sliceBytes)
  select ${ofSlice}, shown < found as "isCut" from fitting order by source_id, id`

const ofManifest = `
  select ${ofSlice} from billing_slices
  where organization_id = :organizationId and ingest_id = :ingestId and manifest = :manifest
  order by state <> 'refused', id limit 50`

const newestOfAccounts = `
  select s.cloud_account_id as "cloudAccountId", g.id, g.trigger, g.state, g.started_at as "startedAt",
    g.ended_at as "endedAt", g.rows_read as "rowsRead", g.records_upserted as "recordsUpserted",
    g.records_rejected as "recordsRejected", g.anomalies,
    (select max(l.complete_through) from billing_slices l
      where l.organization_id = s.organization_id and l.source_id = s.id and l.is_current) as "completeThrough"
  from billing_sources s cross join lateral (
      select i.ingest_id from billing_ingest_sources i
      where i.organization_id = s.organization_id and i.source_id = s.id and i.state <> 'skipped'
      order by i.ingest_id desc limit 1) n
    join billing_ingests g on g.organization_id = s.organization_id and g.id = n.ingest_id
  where s.organization_id = :organizationId and s.cloud_account_id = any(:accountIds::integer[])
    and s.removed_at is null`
