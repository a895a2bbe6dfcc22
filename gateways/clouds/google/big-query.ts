import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { KeptOutbound } from '../../outbound/outbound.ts'
import { settingOf } from '../bills/billing-settings.ts'
import { isRecord } from '../bills/parse-manifest.ts'
import { AnswerTooLarge, CloudFault } from '../cloud-fault.ts'
import { assertParsable } from '../full-page.ts'
import { exportedBy, type Exported } from './export-job.ts'
import type { GoogleSession } from './google-session.ts'
import type { Call, QueryJob } from './query-job.ts'
import { refusalOf, retriedCall } from './retried-call.ts'
import type { TableColumn } from './table-query.ts'

export type TableDescription = {
  /** TABLE, VIEW, MATERIALIZED_VIEW, EXTERNAL, SNAPSHOT. */
  type: string
  lastModifiedTime: string
  location: string | undefined
  columns: TableColumn[]
}
/** Values are texts or null, in the order of the query's columns. */
export type ResultPage = { total: number; rows: Array<Array<string | null>> }

export interface BigQuery {
  describe(signal: AbortSignal): Promise<TableDescription>
  /** Whether the query may run, which costs nothing. */
  tryQuery(query: string, location: string | undefined, signal: AbortSignal): Promise<void>
  start(query: string, location: string | undefined, signal: AbortSignal): Promise<QueryJob>
  /** Waits until the query has written its files, and counts what it wrote. */
  exported(job: QueryJob, signal: AbortSignal): Promise<Exported>
  /** Waits until the query is over. Lines from `first` on, `limit` at most, fewer where they are long. */
  page(
    job: QueryJob,
    at: { first: number; limit: number },
    signal: AbortSignal,
  ): Promise<ResultPage>
}

type Inserted = { location: string | undefined; dryRun: boolean }

/** Lines of a bill have about a kilobyte. An answer is parsed whole. */
const maxPageBytes = 4 * 1024 ** 2
/** Fields and items of that: each value is in an object of its own. */
const maxPageMembers = 150_000
const waitMs = 10_000
/** BigQuery ends a query by itself after six hours; one over a bill takes seconds. */
const maxWaits = 60

/** BigQuery's REST API (v2), with the project of the bill's table paying for the queries. */
export function bigQuery(session: GoogleSession, kept: KeptOutbound): BigQuery {
  const { billing } = session.target
  const text = (name: string) => encodeURIComponent(settingOf(billing, name))
  const call = callsOf(session, kept)
  const insert = async (sql: string, of: Inserted, signal: AbortSignal) =>
    insertJob(call, { ...of, sql, projectId: settingOf(billing, 'projectId') }, signal)

  return {
    async describe(signal) {
      const path = `/datasets/${text('dataset')}/tables/${text('table')}`
      return describedBy(await call({ path, action: 'bigquery.tables.get' }, signal))
    },
    tryQuery: async (sql, location, signal) =>
      void (await insert(sql, { location, dryRun: true }, signal)),
    start: async (sql, location, signal) => insert(sql, { location, dryRun: false }, signal),
    exported: async (job, signal) => exportedBy(call, job, signal),
    async page({ id, location }, { first, limit }, signal) {
      for (let waits = 0; waits < maxWaits; waits += 1) {
        const asked = new URLSearchParams({
          startIndex: String(first),
          maxResults: String(limit),
          timeoutMs: String(waitMs),
          ...(location !== undefined && { location }),
        })
        const path = `/queries/${encodeURIComponent(id)}?${asked}`
        const answer = await call({ path, action: 'bigquery.tables.getData' }, signal)
        if (answer['jobComplete'] === true) return pageOf(answer, limit)
        await sleep(1_000, undefined, { signal })
      }
      throw new CloudFault('unreachable', 'BigQuery did not end the query in time.')
    },
  }
}

/** Calls of the project. */
function callsOf(session: GoogleSession, kept: KeptOutbound): Call {
  const { billing, endpoints } = session.target
  const own = settingOf(billing, 'endpoint') || endpoints.warehouse
  const origin = (own ?? 'https://bigquery.googleapis.com').replace(/\/$/, '')
  const project = encodeURIComponent(settingOf(billing, 'projectId'))
  return async ({ path, body, action }, signal) =>
    retriedCall({ action, gone, signal }, async () => {
      const answer = await kept.request(`${origin}/bigquery/v2/projects/${project}${path}`, {
        use: 'billing',
        headers: {
          authorization: `Bearer ${await session.token()}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
        maxBytes: maxPageBytes,
        timeoutMs: 60_000,
        signal,
      })
      // The first try of this call started the job.
      if (answer.status === 409) return {}
      if (answer.status >= 300) throw refused(answer.status, answer.body.toString(), action)
      assertParsable(answer.body, maxPageMembers)
      const parsed: unknown = JSON.parse(answer.body.toString())
      if (!isRecord(parsed)) throw unreadable()
      return parsed
    })
}

async function insertJob(
  call: Call,
  { sql, projectId, location, dryRun }: Inserted & { sql: string; projectId: string },
  signal: AbortSignal,
): Promise<QueryJob> {
  // Of our own, so that a repeated call starts no second query.
  const jobId = `cloud-control-${randomUUID()}`
  const there = location !== undefined && { location }
  const body = {
    jobReference: { projectId, jobId, ...there },
    configuration: {
      dryRun,
      labels: { 'managed-by': 'cloud-control' },
      query: { query: sql, useLegacySql: false },
    },
  }
  await call({ path: '/jobs', body, action: 'bigquery.jobs.create' }, signal)
  return { id: jobId, location }
}

const gone =
  'BigQuery has no such table. Check billing.projectId, billing.dataset and billing.table.'
const unreadable = () => new CloudFault('unreachable', "BigQuery's answer cannot be read.")

/** BigQuery says 403 to limits as well, and 400 to a query that it cannot run. */
function refused(status: number, data: string, action: string): Error {
  const reason = /"reason":\s*"([A-Za-z]{1,60})"/.exec(data)?.[1] ?? ''
  if (/^(rateLimitExceeded|jobRateLimitExceeded|quotaExceeded|backendError)$/.test(reason))
    return new CloudFault('throttled', `Google limits how often ${action} may be called.`)
  if (reason === 'billingNotEnabled' || reason === 'billingTierLimitExceeded')
    return new CloudFault('unreachable', 'The project of the table has no billing for queries.')
  if (reason === 'responseTooLarge') return new AnswerTooLarge('BigQuery')
  if (status === 400)
    return new CloudFault('unreachable', 'BigQuery refuses the query. Is the table a FOCUS export?')
  return refusalOf(status, data)
}

function describedBy(table: Record<string, unknown>): TableDescription {
  const { schema } = table
  const fields = isRecord(schema) && Array.isArray(schema['fields']) ? schema['fields'] : []
  return {
    type: settingOf(table, 'type'),
    lastModifiedTime: settingOf(table, 'lastModifiedTime'),
    location: settingOf(table, 'location') || undefined,
    columns: fields.filter(isRecord).map((field) => ({
      name: settingOf(field, 'name'),
      type: settingOf(field, 'type').toUpperCase(),
      mode: settingOf(field, 'mode').toUpperCase(),
    })),
  }
}

/** `{ rows: [{ f: [{ v }] }] }`. */
function pageOf({ totalRows, rows = [] }: Record<string, unknown>, limit: number): ResultPage {
  const total = Number(totalRows)
  if (!Number.isSafeInteger(total) || !Array.isArray(rows) || rows.length > limit)
    throw unreadable()
  return {
    total,
    rows: rows.map((row: unknown) => {
      if (!isRecord(row) || !Array.isArray(row['f'])) throw unreadable()
      return row['f'].map((cell: unknown) => {
        const value = isRecord(cell) ? cell['v'] : undefined
        if (value !== null && typeof value !== 'string') throw unreadable()
        return value
      })
    }),
  }
}
