import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { DuckDBConnection } from '@duckdb/node-api'
import { chargeColumns } from '../../../domain/finops/focus/charge-columns.ts'
import { countRanges, extraObject, mergeGroups, prepareCharges } from './make-charges.ts'
import { quoted, rowsOf } from './open-database.ts'
import type { ReadSlice } from './protocol.ts'

const period = `strftime(coalesce(billing_period_start, day), '%Y-%m')`

/** Writes the charges, one file a billing period. Says what is in the files. */
export async function writeSlices(
  database: DuckDBConnection,
  extras: readonly string[],
  outFolder: string,
): Promise<ReadSlice[]> {
  await mkdir(outFolder, { recursive: true })
  await prepareCharges(database, extras)
  await database.run(`CREATE TABLE parts AS ${daysOf('single_charges')}`)
  await appendCharges(database, { from: 'single_charges', extras, outFolder })
  const ranges = await countRanges(database)
  for (let range = 0; range < ranges; range++) {
    await mergeGroups(database, extras, { range, ranges })
    await database.run(`INSERT INTO parts ${daysOf('merged_charges')}`)
    await appendCharges(database, { from: 'merged_charges', extras, outFolder })
  }
  return (await rowsOf(database, totals)).map((row) => sliceOf(row, outFolder))
}

type Charges = {
  from: 'single_charges' | 'merged_charges'
  extras: readonly string[]
  outFolder: string
}

async function appendCharges(
  database: DuckDBConnection,
  { from, extras, outFolder }: Charges,
): Promise<void> {
  const part = `${outFolder}/part`
  for (const row of await rowsOf(
    database,
    `SELECT DISTINCT period FROM parts WHERE source = ${quoted(from)}`,
  )) {
    const name = String(row['period'])
    await database.run(
      `COPY (SELECT ${fileColumns(extras)} FROM ${from} WHERE ${period} = ${quoted(name)})
       TO ${quoted(part)} (FORMAT csv, HEADER false)`,
    )
    await pipeline(
      createReadStream(part),
      createWriteStream(fileOf(name, outFolder), { flags: 'a' }),
    )
    await rm(part)
  }
}

const fileOf = (name: string, outFolder: string): string => `${outFolder}/${name}.csv`

/** The sums of some of the charges. A day can be in several. */
const daysOf = (from: string): string => `
  SELECT ${quoted(from)} AS source, ${period} AS period, day, count(*) AS rows,
    sum(lines) AS lines, sum(billed_cost) AS billed, sum(effective_cost) AS effective, coalesce(sum(list_cost), 0) AS list,
    min(billing_currency) AS first_currency, max(billing_currency) AS last_currency
  FROM ${from} GROUP BY ALL`

const totals = `
  SELECT period, CAST(sum(rows) AS BIGINT) AS rows, CAST(sum(lines) AS BIGINT) AS lines,
    count(DISTINCT day) AS days, CAST(sum(billed) AS VARCHAR) AS billed,
    CAST(sum(effective) AS VARCHAR) AS effective, CAST(sum(list) AS VARCHAR) AS list,
    CASE WHEN min(first_currency) = max(last_currency) THEN min(first_currency) END AS currency,
    CAST(min(day) AS VARCHAR) AS first_day, CAST(max(day) AS VARCHAR) AS last_day
  FROM parts GROUP BY 1 ORDER BY 1`

function sliceOf(row: Record<string, unknown>, outFolder: string): ReadSlice {
  const name = String(row['period'])
  const currency = row['currency']
  return {
    period: name,
    path: fileOf(name, outFolder),
    rows: Number(row['rows']),
    rowsRead: Number(row['lines']),
    days: Number(row['days']),
    billed: String(row['billed']),
    effective: String(row['effective']),
    list: String(row['list']),
    currency: typeof currency === 'string' ? currency : null,
    firstDay: String(row['first_day']),
    lastDay: String(row['last_day']),
  }
}

/** In the order of the list; the digest is over the text of all others, so that it is the same in each version. */
function fileColumns(extras: readonly string[]): string {
  const values = chargeColumns.flatMap(({ name, type, role }) =>
    role === 'digest' ? [] : [{ name, sql: valueOf(name, type, extras) }],
  )
  const parts = values.map(({ sql }) => `coalesce(CAST(${sql} AS VARCHAR), chr(2))`)
  const digest = `md5(concat_ws(chr(1), ${parts.join(', ')}))`
  return chargeColumns
    .map(({ name }) => values.find((value) => value.name === name)?.sql ?? digest)
    .join(', ')
}

function valueOf(name: string, type: string, extras: readonly string[]): string {
  if (name === 'extra') return extraObject(extras)
  return type === 'timestamptz' ? `CAST(${name} AS VARCHAR) || 'Z'` : name
}
