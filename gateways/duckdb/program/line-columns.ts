import { chargeColumns, type ChargeColumn } from '../../../domain/finops/focus/charge-columns.ts'
import { googleTagNames, serviceInstead } from './column-names.ts'
import { textOf } from './column-texts.ts'
import { isTooLong } from './column-types.ts'
import type { BillFile } from './bill-file.ts'
import { named } from './open-database.ts'
import { isOtherCategory, spelledValues } from './spelled-values.ts'
import {
  isTaggedByGoogle,
  keyLengthAtMost,
  tagsAreBroken,
  tagsAreTooLarge,
  tagsAtMost,
  tagsOf,
  valueLengthAtMost,
} from './tag-texts.ts'

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
export function extraColumns(file: BillFile): string[] {
  const used = isTaggedByGoogle(file) ? googleTagNames : []
  return [...file.columns].flatMap(([name, type]) =>
    known.has(name) || used.includes(name) || isTooLong(type) ? [] : [name],
  )
}

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
  else if (type === 'jsonb') made.dimensions.push([name, tagsOf(file)])
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

const textColumn = (file: BillFile, focus: string): string =>
  focus === 'ServiceName' && file.columns.has(serviceInstead)
    ? `CASE WHEN trim(${textOf(file, focus)}) <> '' THEN ${textOf(file, focus)} ELSE ${textOf(file, serviceInstead)} END`
    : textOf(file, focus)

/** UTC without a zone. A text without an offset is UTC. */
function timeOf(file: BillFile, name: string): string {
  const type = file.columns.get(name)
  if (type === undefined) return 'CAST(NULL AS TIMESTAMP)'
  return `CAST(${type === 'VARCHAR' ? timeIn(named(name)) : named(name)} AS TIMESTAMP)`
}

/**
 * The times of Azure's CSV have no seconds (`2024-09-01T00:00Z`), and DuckDB reads a zone only behind seconds and without
 * a blank before it (`2024-09-01 00:00:00.000 +0000`, as Snowflake writes). The regular expressions take three times as
 * long as the cast, and run only for texts that the cast does not read.
 */
function timeIn(text: string): string {
  const minute = String.raw`\d{4}-\d\d-\d\d[T ]\d\d:\d\d`
  const zone = String.raw`Z|[+-]\d\d(:?\d\d)?`
  const toMinute = `^(${minute}) ?(?:(${zone})|UTC)?$`
  const blank = String.raw`^(${minute}:\d\d(?:\.\d+)?) (${zone})$`
  const withSeconds = String.raw`regexp_replace(${text}, '${toMinute}', '\1:00\2')`
  const withoutBlank = String.raw`regexp_replace(${text}, '${blank}', '\1\2')`
  const texts = [text, withSeconds, withoutBlank]
  return `coalesce(${texts.map((one) => `TRY_CAST(${one} AS TIMESTAMPTZ)`).join(', ')})`
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
  const isText = file.columns.get(focus) === 'VARCHAR'
  const isGiven = isText ? `nullif(${named(focus)}, '') IS NOT NULL` : `${named(focus)} IS NOT NULL`
  // DuckDB takes 1_000 for a number; FOCUS's numeric format has no separators.
  const separated = isText ? ` OR contains(${named(focus)}, '_')` : ''
  const tooLarge = type === 'cost' ? ` OR abs(${number}) >= ${costAtMost}` : ''
  return {
    column: focus,
    bad:
      (required ? `${number} IS NULL` : `${number} IS NULL AND ${isGiven}`) + separated + tooLarge,
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
  const isEmpty = (name: string) => `nullif(trim(${textOf(file, name)}), '') IS NULL`
  return [
    {
      column: 'ChargeCategory',
      bad: isOtherCategory(textOf(file, 'ChargeCategory')),
      message: shown('ChargeCategory', `is not one of ${spelledValues.charge_category.join(', ')}`),
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
      bad: tagsAreBroken(tagsOf(file)),
      message: `'These tags are neither an object of JSON nor pairs of key and value'`,
    },
    {
      column: 'Tags',
      bad: tagsAreTooLarge(tagsOf(file)),
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
