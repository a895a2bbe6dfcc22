import { settingOf } from '../bills/billing-settings.ts'

/** A column of a table of BigQuery, as its REST API names it. */
export type TableColumn = { name: string; type: string; mode: string }

/** `project.dataset.table`, whose parts were checked by domain/clouds/check-billing.ts. */
export const tableOf = (billing: Readonly<Record<string, unknown>> | null): string =>
  ['projectId', 'dataset', 'table'].map((part) => settingOf(billing, part)).join('.')

export const tryQuery = (table: string): string => `SELECT 1 AS one FROM ${from(table)} LIMIT 1`

const from = (table: string): string => `\`${table}\` AS t`

/** The month that a line is of, whatever type the column has: `2026-10-01 00:00:00+00`, `2026-10-01`. */
function monthOf(columns: readonly TableColumn[]): string {
  const start = ['BillingPeriodStart', 'ChargePeriodStart'].find((name) =>
    columns.some((column) => column.name === name),
  )
  return `SUBSTR(CAST(t.\`${start ?? 'ChargePeriodStart'}\` AS STRING), 1, 7)`
}

/** What tells that a month is another one by now, where the table itself does not. Equal lines count each. */
const fingerprint = 'SUM(CAST(FARM_FINGERPRINT(TO_JSON_STRING(t)) AS BIGNUMERIC))'

/**
 * The newest months, each with its count of lines. A table says by itself when it changed; a view does not, so
 * the lines of its months are added up to a fingerprint.
 */
export function monthsQuery(
  table: string,
  columns: readonly TableColumn[],
  { isTable, months }: { isTable: boolean; months: readonly string[] },
): string {
  const month = monthOf(columns)
  const list = months.map((name) => `'${name}'`).join(', ')
  return `SELECT ${month} AS bill_month, CAST(COUNT(*) AS STRING) AS n, ${isTable ? `'0'` : `CAST(${fingerprint} AS STRING)`} AS mark FROM ${from(table)} WHERE ${month} IN (${list}) GROUP BY bill_month ORDER BY bill_month DESC`
}

/** The header of the file that `linesQuery` has the lines of. */
export const headerOf = (columns: readonly TableColumn[]): string =>
  exported(columns)
    .map(({ name }) => name)
    .join(',')

/**
 * The lines of a month as CSV, each as one text: an answer has a value for each line, and not for each cell,
 * so that a page is parsed in a few milliseconds and nothing of it is an object of ours.
 */
export function linesQuery(table: string, columns: readonly TableColumn[], month: string): string {
  const cells = exported(columns).map((column) => cellOf(textOf(column)))
  return `SELECT CONCAT(${cells.join(`, ',', `)}) AS line FROM ${from(table)} WHERE ${monthOf(columns)} = '${month}'`
}

/**
 * Writes the lines of a month as Parquet. Each column is the text that it has in `linesQuery`, so that the reader
 * makes the same of both; an empty one is null, as it is in CSV. An extract job would write all months of the table,
 * and cannot read a view.
 */
export function exportQuery(
  table: string,
  columns: readonly TableColumn[],
  { month, uri }: { month: string; uri: string },
): string {
  const cells = exported(columns).map((column) => {
    const text = `NULLIF(${textOf(column)}, '')`
    return `${isNested(column) ? `NULLIF(${text}, 'null')` : text} AS \`${column.name}\``
  })
  const options = `uri = ${quoted(uri)}, format = 'PARQUET', compression = 'SNAPPY'`
  return `EXPORT DATA OPTIONS (${options}) AS SELECT ${cells.join(', ')} FROM ${from(table)} WHERE ${monthOf(columns)} = '${month}'`
}

/** A text of GoogleSQL. A prefix has neither backslashes nor control characters (domain/clouds/check-billing.ts). */
const quoted = (text: string): string => `'${text.replaceAll(/[\\']/g, (sign) => `\\${sign}`)}'`

const maxColumns = 300

/** A column whose name needs no quotes, in SQL and in CSV. FOCUS's are all of that form. */
const exported = (columns: readonly TableColumn[]): TableColumn[] =>
  columns
    .filter(({ name, type }) => /^[A-Za-z_]\w{0,200}$/.test(name) && !unreadable.has(type))
    .slice(0, maxColumns)

const unreadable = new Set(['BYTES', 'GEOGRAPHY', 'RANGE', 'INTERVAL'])

const isNested = ({ type, mode }: TableColumn): boolean =>
  mode === 'REPEATED' || ['RECORD', 'STRUCT', 'JSON'].includes(type)

function textOf(of: TableColumn): string {
  const { name, type } = of
  const column = `t.\`${name}\``
  if (isNested(of)) return `TO_JSON_STRING(${column})`
  if (type === 'STRING') return column
  if (type === 'TIMESTAMP') return `FORMAT_TIMESTAMP('%FT%H:%M:%E6SZ', ${column}, 'UTC')`
  if (type === 'DATETIME') return `FORMAT_DATETIME('%FT%H:%M:%E6SZ', ${column})`
  // Else a small cost would be 1e-06, and a sum of such texts not exact.
  if (type === 'FLOAT' || type === 'FLOAT64') return `CAST(CAST(${column} AS BIGNUMERIC) AS STRING)`
  return `CAST(${column} AS STRING)`
}

/** Quoted where it has to be (RFC 4180). */
const cellOf = (text: string): string =>
  `IFNULL(IF(REGEXP_CONTAINS(${text}, r'[",\\r\\n]'), CONCAT('"', REPLACE(${text}, '"', '""'), '"'), ${text}), '')`
