import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { KeptOutbound } from '../../outbound/outbound.ts'
import { settingOf } from '../bills/billing-settings.ts'
import { changed, download } from '../bills/download.ts'
import { createPace } from '../bills/pace.ts'
import { readySlice, waitingSlice } from '../bills/slices.ts'
import type { BillFile, Bills, FetchProgress, FoundSlice } from '../cloud.ts'
import { AnswerTooLarge, CloudFault } from '../cloud-fault.ts'
import { type BigQuery, bigQuery, type ResultPage, type TableDescription } from './big-query.ts'
import { googleBucket } from './google-bucket.ts'
import type { GoogleSession } from './google-session.ts'
import type { QueryJob } from './query-job.ts'
import { exportMonth } from './table-export.ts'
import { headerOf, linesQuery, monthsQuery, tableOf } from './table-query.ts'

/** Past it, pages of lines take too long; an export by a bucket has no such limit. */
const maxLines = 20_000_000
/** What a line is reckoned with before it is fetched: the limit of a bill's files is held with it. */
const bytesALine = 1_000
const maxBytes = 64 * 1024 ** 3
const pageLines = 2_000

/**
 * A bill in BigQuery: Google's FOCUS export, or a view with its columns. A month is one file, of the lines that
 * a query answers, with the time of the table's last change as its etag; or, with a bucket, what is exported to it.
 */
export function googleTableBills(session: GoogleSession, kept: KeptOutbound): Bills {
  const name = tableOf(session.target.billing)
  const warehouse = bigQuery(session, kept)
  if (settingOf(session.target.billing, 'bucket') !== '') return byExport(session, kept)
  return {
    place: placeOf(name),
    find: async (signal, also) => findMonths(warehouse, { name, isExported: false, also }, signal),
    fetch: async (file, path, progress) => fetchMonth(warehouse, { name, file, path }, progress),
  }
}

const placeOf = (name: string): string => `bigquery ${name}`

/** By Parquet files that BigQuery writes into the account's bucket, each time that a month is read. */
function byExport(session: GoogleSession, kept: KeptOutbound): Bills {
  const name = tableOf(session.target.billing)
  const [warehouse, bucket] = [bigQuery(session, kept), googleBucket(session, kept)]
  return {
    place: placeOf(name),
    find: async (signal, also) => findMonths(warehouse, { name, isExported: true, also }, signal),
    async unload(slice, signal) {
      const table = await warehouse.describe(signal)
      const [file] = slice.files
      if (!file || isAnother(table, file)) throw changed()
      return exportMonth({ session, warehouse, bucket, name }, { slice, table }, signal)
    },
    fetch: async (file, path, progress) =>
      download(file, path, { ask: async (asked) => bucket.piece(file, asked), progress }),
  }
}

/** The newest three that a bill can be of: the next month, in which purchases may begin, is one of them. */
function newestMonths(now = new Date()): string[] {
  return [1, 0, -1, -2].map((months) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months)).toISOString().slice(0, 7),
  )
}

type Asked = { name: string; isExported: boolean; also: readonly string[] | undefined }

async function findMonths(
  warehouse: BigQuery,
  { name, isExported, also = [] }: Asked,
  signal: AbortSignal,
): Promise<FoundSlice[]> {
  const table = await warehouse.describe(signal)
  assertFocus(table)
  const months = [...new Set([...newestMonths(), ...also])]
  const query = monthsQuery(name, table.columns, { isTable: isTable(table), months })
  const job = await warehouse.start(query, table.location, signal)
  const { rows } = await warehouse.page(job, { first: 0, limit: months.length }, signal)
  const wanted = rows.filter(([period], at) => at < 3 || also.includes(period ?? ''))
  return wanted.flatMap(([period, count, mark]) => {
    const lines = Number(count)
    const place = { period: period ?? '', manifest: placeOf(name) }
    if (!months.includes(place.period) || !Number.isSafeInteger(lines)) return []
    if (lines > maxLines && !isExported)
      return [waitingSlice(place, `The month has ${lines} lines. ${toABucket}`)]
    const file = {
      key: `${name}/${place.period}.${isExported ? 'parquet' : 'csv'}`,
      // Of an export it is known once the files are written.
      size: isExported ? 0 : lines * bytesALine,
      etag: `${isTable(table) ? table.lastModifiedTime : mark}.${lines}`,
    }
    return [readySlice(place, [file], lines)]
  })
}

const toABucket = `At most ${maxLines} are read from BigQuery itself. Name a bucket in billing.bucket, by which it is exported.`

/** Whether the table changed since the file's month was counted. A view does not say. */
const isAnother = (table: TableDescription, { etag }: BillFile): boolean =>
  isTable(table) && table.lastModifiedTime !== etag.slice(0, etag.lastIndexOf('.'))

const isTable = ({ type }: TableDescription): boolean => type === 'TABLE'

const needed = ['BilledCost', 'EffectiveCost', 'BillingCurrency', 'ChargePeriodStart']

function assertFocus({ columns }: TableDescription): void {
  const names = new Set(columns.map(({ name }) => name))
  const missing = needed.find((name) => !names.has(name))
  if (missing !== undefined)
    throw new CloudFault(
      'unreachable',
      `The table has no column ${missing}. Name the table of the FOCUS export, or a view with its columns.`,
    )
}

/** From its first line on, whatever is at `path`: the lines of another query may come in another order. */
async function fetchMonth(
  warehouse: BigQuery,
  { name, file, path }: { name: string; file: BillFile; path: string },
  progress: FetchProgress,
): Promise<void> {
  const { signal } = progress
  const month = /\/(\d{4}-\d{2})\.csv$/.exec(file.key)?.[1]
  const table = await warehouse.describe(signal)
  const lines = file.etag.split('.').pop()
  if (month === undefined || isAnother(table, file)) throw changed()
  const query = linesQuery(name, table.columns, month)
  const job = await warehouse.start(query, table.location, signal)
  const { O_WRONLY, O_CREAT, O_APPEND, O_NOFOLLOW } = constants
  const handle = await open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0o600)
  try {
    const { size } = await handle.stat()
    await handle.truncate(0)
    progress.onRemoved?.(size)
    const header = Buffer.from(`${headerOf(table.columns)}\n`)
    await handle.appendFile(header)
    progress.onBytes(header.length)
    await writeLines(warehouse, { job, handle, lines: Number(lines) }, progress)
  } finally {
    await handle.close()
  }
}

/** Page by page, each of which is on the disk before the next one is asked for. */
async function writeLines(
  warehouse: BigQuery,
  { job, handle, lines }: { job: QueryJob; handle: FileHandle; lines: number },
  progress: FetchProgress,
): Promise<void> {
  const { signal, pace = createPace() } = progress
  pace.begin()
  let limit = pageLines
  let bytes = 0
  for (let first = 0; first < lines;) {
    await progress.beforePiece?.()
    const ask = async () => pageOrNone(warehouse, { job, first, limit }, signal)
    // The first one waits for the query, which sends nothing.
    const page = await (first === 0 ? pace.rest(ask) : ask())
    if (!page) {
      limit = Math.ceil(limit / 4)
      continue
    }
    // Lines came or went since the month was counted.
    if (page.total !== lines) throw changed()
    if (page.rows.length === 0)
      throw new CloudFault('unreachable', 'BigQuery ended the lines of the bill too early.')
    const text = Buffer.from(page.rows.map(([line]) => `${line ?? ''}\n`).join(''))
    bytes += text.length
    if (bytes > maxBytes)
      throw new CloudFault('unreachable', `The lines of the bill are too long. ${toABucket}`)
    await handle.appendFile(text)
    progress.onBytes(text.length)
    pace.add(text.length)
    pace.check()
    first += page.rows.length
  }
}

/** Undefined where so many lines are too long for one answer. */
async function pageOrNone(
  warehouse: BigQuery,
  { job, first, limit }: { job: QueryJob; first: number; limit: number },
  signal: AbortSignal,
): Promise<ResultPage | undefined> {
  try {
    return await warehouse.page(job, { first, limit }, signal)
  } catch (error) {
    if (!(error instanceof AnswerTooLarge) || limit === 1) throw error
    return undefined
  }
}
