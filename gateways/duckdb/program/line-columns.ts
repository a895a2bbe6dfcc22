import { chargeColumns, type ChargeColumn } from '../../../domain/finops/focus/charge-columns.ts'
import type { BillFile } from './look-at-file.ts'
import { named } from './open-database.ts'

/** What a line must hold in a column; both in SQL over the file's own columns. */
export type LineCheck = { column: string; bad: string; message: string }

export type LineColumns = {
  /** Of the group: name, and value in SQL. */
  dimensions: [name: string, sql: string][]
  aggregates: [name: string, sql: string][]
  checks: LineCheck[]
}

/** The columns of a file that get to `extra`, of all files together. */
export const extrasAtMost = 16

const known = new Map(
  chargeColumns.flatMap((column) => (column.focus ? [[column.focus, column]] : [])),
)

/** The columns that a charge has no place for. */
export const extraColumns = (file: BillFile): string[] =>
  [...file.columns.keys()].filter((name) => !known.has(name))

/** How a file's lines become rows of the table `grouped`. */
export function lineColumns(file: BillFile, extras: readonly string[]): LineColumns {
  const made: LineColumns = { dimensions: [], aggregates: [], checks: [] }
  const start = timeOf(file, 'ChargePeriodStart')
  made.dimensions.push(['day', `CAST(${start} AS DATE)`])
  made.checks.push(timeCheck('ChargePeriodStart', start, true))
  for (const column of chargeColumns) addColumn(made, file, column)
  for (const [index, name] of extras.entries()) {
    const value = file.columns.has(name) ? textOf(file, name) : 'CAST(NULL AS VARCHAR)'
    made.aggregates.push([`x${index}_min`, `min(${value})`], [`x${index}_max`, `max(${value})`])
  }
  const bad = made.checks.map((check) => `(${check.bad})`).join(' OR ')
  made.aggregates.push(['lines', 'count(*)'], ['bad', `count_if(${bad})`])
  made.checks.push(...textChecks(file))
  return made
}

function addColumn(made: LineColumns, file: BillFile, column: ChargeColumn): void {
  const { name, focus, type, role } = column
  if (focus === undefined) return
  if (type === 'text') made.dimensions.push([name, textColumn(file, focus)])
  else if (type === 'jsonb') made.dimensions.push([name, textOf(file, focus)])
  else if (type === 'date') {
    const time = timeOf(file, focus)
    made.dimensions.push([name, `CAST(${time} AS DATE)`])
    if (file.columns.has(focus)) made.checks.push(timeCheck(focus, time, false))
  } else if (type === 'timestamptz') {
    const time = timeOf(file, focus)
    made.aggregates.push([name, `${role === 'first' ? 'min' : 'max'}(${time})`])
    if (focus === 'ChargePeriodEnd' && file.columns.has(focus))
      made.checks.push(timeCheck(focus, time, false))
  } else {
    const number = numberOf(file, column)
    if (role === 'sum') made.aggregates.push([name, `sum(${number})`])
    else made.aggregates.push([`${name}_min`, `min(${number})`], [`${name}_max`, `max(${number})`])
    if (file.columns.has(focus)) made.checks.push(numberCheck(file, column, number))
  }
}

/** Some purchases on Azure have a name of the service in a column of its own alone. */
function textColumn(file: BillFile, focus: string): string {
  const instead = 'x_SkuMeterSubcategory'
  return focus === 'ServiceName' && file.columns.has(instead)
    ? `coalesce(nullif(${textOf(file, focus)}, ''), ${textOf(file, instead)})`
    : textOf(file, focus)
}

export const isNested = (type: string): boolean => /^(MAP|STRUCT)\(|\[\d*\]$/.test(type)

function textOf(file: BillFile, name: string): string {
  const type = file.columns.get(name)
  if (type === undefined) return 'CAST(NULL AS VARCHAR)'
  if (type === 'VARCHAR') return named(name)
  return `CAST(${isNested(type) ? `to_json(${named(name)})` : named(name)} AS VARCHAR)`
}

/** UTC without a zone. A text without an offset is UTC. */
function timeOf(file: BillFile, name: string): string {
  const type = file.columns.get(name)
  if (type === undefined) return 'CAST(NULL AS TIMESTAMP)'
  return `CAST(${type === 'VARCHAR' ? timeIn(named(name)) : named(name)} AS TIMESTAMP)`
}

/**
 * The times of Azure's CSV have no seconds (`2024-09-01T00:00Z`), and DuckDB reads a zone only behind seconds. The
 * regular expression takes three times as long as the cast, and runs only for texts that the cast does not read.
 */
function timeIn(text: string): string {
  const toMinute = String.raw`^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d)(Z|[+-]\d\d(:?\d\d)?)?$`
  const withSeconds = String.raw`regexp_replace(${text}, '${toMinute}', '\1:00\2')`
  return `coalesce(TRY_CAST(${text} AS TIMESTAMPTZ), TRY_CAST(${withSeconds} AS TIMESTAMPTZ))`
}

/**
 * A cost is exact: a text never goes by a floating-point number. DuckDB reads a text as DECIMAL(18, 12) in a fifth of
 * the time of DECIMAL(38, 12), so it reads as that what fits. Quantities and unit prices are FOCUS's Double.
 */
function numberOf(file: BillFile, { focus = '', type }: ChargeColumn): string {
  const target = type === 'cost' ? 'DECIMAL(38, 12)' : 'DECIMAL(38, 15)'
  const given = file.columns.get(focus)
  if (given === undefined) return `CAST(NULL AS ${target})`
  const column = named(focus)
  if (given !== 'VARCHAR') return `TRY_CAST(${column} AS ${target})`
  if (type !== 'cost') return `TRY_CAST(TRY_CAST(${column} AS DOUBLE) AS ${target})`
  return `coalesce(CAST(TRY_CAST(${column} AS DECIMAL(18, 12)) AS ${target}), TRY_CAST(${column} AS ${target}))`
}

/** PostgreSQL's numeric(30, 12) holds 18 digits before the point, of a sum of many such. */
const costAtMost = '1000000000000000'

function numberCheck(
  file: BillFile,
  { focus = '', type, required }: ChargeColumn,
  number: string,
): LineCheck {
  const isGiven =
    file.columns.get(focus) === 'VARCHAR'
      ? `nullif(${named(focus)}, '') IS NOT NULL`
      : `${named(focus)} IS NOT NULL`
  const tooLarge = type === 'cost' ? ` OR abs(${number}) >= ${costAtMost}` : ''
  return {
    column: focus,
    bad: (required ? `${number} IS NULL` : `${number} IS NULL AND ${isGiven}`) + tooLarge,
    message: shown(focus, 'is not a number that a bill can hold'),
  }
}

/** The months that PostgreSQL has partitions for end two years from now. */
const startsBefore = (): string => {
  const today = new Date()
  const end = Date.UTC(today.getUTCFullYear() + 2, today.getUTCMonth(), today.getUTCDate())
  return new Date(end).toISOString().slice(0, 10)
}

/** What a charge is booked under starts soon; what was reserved may end in many years. */
const startColumns = new Set(['ChargePeriodStart', 'BillingPeriodStart'])

function timeCheck(focus: string, time: string, isRequired: boolean): LineCheck {
  const isStart = startColumns.has(focus)
  const end = isStart ? startsBefore() : '2100-01-01'
  const outside = `${time} < TIMESTAMP '2000-01-01' OR ${time} >= TIMESTAMP '${end}'`
  const missing = isRequired
    ? `${time} IS NULL`
    : `(${time} IS NULL AND nullif(CAST(${named(focus)} AS VARCHAR), '') IS NOT NULL)`
  return {
    column: focus,
    bad: `${missing} OR ${outside}`,
    message: shown(
      focus,
      `is not a time from 2000-01-01 to before ${end}, as 2026-09-01T00:00:00Z`,
    ),
  }
}

const shown = (focus: string, fault: string): string =>
  `coalesce('"' || left(CAST(${named(focus)} AS VARCHAR), 60) || '" ${fault}', 'The value is missing')`

export const chargeCategories = ['Usage', 'Purchase', 'Tax', 'Credit', 'Adjustment']

/** Names that sums are kept by, and that indexes and answers of the API hold. */
export const boundedNames = [
  'ProviderName',
  'ServiceProviderName',
  'PublisherName',
  'ServiceName',
  'SubAccountId',
  'SubAccountName',
  'RegionId',
  'RegionName',
  'ResourceId',
  'ResourceName',
  'CommitmentDiscountId',
  'CommitmentDiscountName',
  'CommitmentDiscountType',
  'CommitmentDiscountCategory',
]
export const nameBytesAtMost = 2_048

/** Looked at by groups while reading; by line only to say where they are. */
function textChecks(file: BillFile): LineCheck[] {
  const isEmpty = (name: string) => `nullif(${textOf(file, name)}, '') IS NULL`
  const list = chargeCategories.map((name) => `'${name}'`).join(', ')
  const category = named('ChargeCategory')
  return [
    {
      column: 'ChargeCategory',
      bad: `${category} IS NULL OR CAST(${category} AS VARCHAR) NOT IN (${list})`,
      message: shown('ChargeCategory', `is not one of ${chargeCategories.join(', ')}`),
    },
    {
      column: 'BillingCurrency',
      bad: `${isEmpty('BillingCurrency')} OR length(${textOf(file, 'BillingCurrency')}) > 40`,
      message: shown('BillingCurrency', 'is not a currency'),
    },
    {
      column: 'ProviderName',
      bad: `${isEmpty('ServiceProviderName')} AND ${isEmpty('ProviderName')}`,
      message: `'The line names no provider'`,
    },
    {
      column: 'Tags',
      bad: tagsAreBroken(textOf(file, 'Tags')),
      message: `'These tags are neither an object of JSON nor pairs of key and value'`,
    },
    {
      column: 'Tags',
      bad: tagsAreTooLarge(textOf(file, 'Tags')),
      message: `'A line has at most ${tagsAtMost} tags, with keys of ${keyLengthAtMost} and values of ${valueLengthAtMost} characters'`,
    },
    ...boundedNames
      .filter((name) => file.columns.has(name))
      .map((name) => ({
        column: name,
        bad: `coalesce(strlen(${textColumn(file, name)}) > ${nameBytesAtMost}, false)`,
        message: `'The text is longer than ${nameBytesAtMost} bytes'`,
      })),
  ]
}

/** Pairs are objects of `key` and `value`. */
export function tagsAreBroken(tags: string): string {
  const pairs = `try_cast(${tags} AS JSON)`
  return (
    `nullif(trim(${tags}), '') IS NOT NULL AND NOT coalesce(CASE json_type(${pairs}) ` +
    `WHEN 'OBJECT' THEN true WHEN 'NULL' THEN true WHEN 'ARRAY' THEN len(list_filter(CAST(${pairs} AS JSON[]), ` +
    `pair -> coalesce(json_extract_string(pair, '$.key'), json_extract_string(pair, '$.Key')) IS NULL)) = 0 ELSE false END, false)`
  )
}

const tagsAtMost = 1_000
const keyLengthAtMost = 512
const valueLengthAtMost = 5_000

/** Of tags that are not broken. */
export function tagsAreTooLarge(tags: string): string {
  const json = `try_cast(${tags} AS JSON)`
  const either = (name: string, other: string) =>
    `coalesce(json_extract_string(tag, '$.${name}'), json_extract_string(tag, '$.${other}'))`
  const tooLong = (key: string, value: string) =>
    `coalesce(length(${key}) > ${keyLengthAtMost}, false) OR coalesce(length(${value}) > ${valueLengthAtMost}, false)`
  return (
    `coalesce(CASE json_type(${json}) ` +
    `WHEN 'OBJECT' THEN len(json_keys(${json})) > ${tagsAtMost} OR len(list_filter(` +
    `map_entries(from_json(${json}, '"MAP(VARCHAR,VARCHAR)"')), tag -> ${tooLong('tag.key', 'tag.value')})) > 0 ` +
    `WHEN 'ARRAY' THEN json_array_length(${json}) > ${tagsAtMost} OR len(list_filter(` +
    `CAST(${json} AS JSON[]), tag -> ${tooLong(either('key', 'Key'), either('value', 'Value'))})) > 0 ` +
    `ELSE false END, false)`
  )
}
