import type {
  IngestState,
  IngestTrigger,
  SliceState,
  SourceState,
} from '../../domain/finops/ingest-state.ts'
import { notFound } from '../../domain/errors.ts'
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
type Filters = { state?: IngestState[]; accountId?: number[] }

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

    async sources(ingestId: number): Promise<ReadIngestSource[]> {
      const { rows: found } = await db.raw(sources, { organizationId, ingestId })
      return found
    },

    async slices(ingestId: number): Promise<ReadIngestSlice[]> {
      const { rows: found } = await db.raw(slices, { organizationId, ingestId })
      return found
    },
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
  where i.organization_id = :organizationId and i.ingest_id = :ingestId order by s.id`

const slices = `
  select id, source_id as "sourceId", period, state, reason, manifest, files, rows_read as "rowsRead",
    records_upserted as "recordsUpserted", records_removed as "recordsRemoved",
    records_rejected as "recordsRejected", billed, effective, list, currency,
    complete_through as "completeThrough", errors
  from billing_slices where organization_id = :organizationId and ingest_id = :ingestId
  order by source_id, period, id`

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
