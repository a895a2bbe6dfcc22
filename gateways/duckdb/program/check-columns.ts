import { providerNames, requiredNames } from './column-names.ts'
import { wrongType } from './column-types.ts'
import type { BillFile } from './bill-file.ts'
import { BillRefused, fileRefused, type BillError } from './protocol.ts'

/** Refuses a file that is no FOCUS by its columns and their types. */
export function checkColumns(file: BillFile): void {
  const names = [...file.columns.keys()]
  const missing = requiredNames.filter((name) => !file.columns.has(name))
  if (!providerNames.some((name) => file.columns.has(name))) missing.push('ProviderName')
  const other = missing.length > 0 ? otherFormat(names) : undefined
  if (other) throw fileRefused(file.key, other)
  const isNone = missing.length === requiredNames.length + 1
  if (isNone && missing.every((column) => similarTo(column, names) === ''))
    throw fileRefused(
      file.key,
      'The file is no FOCUS bill: it has none of the columns that each has. Export the bill as FOCUS 1.0 or later.',
    )
  const errors: BillError[] = missing.map((column) => ({
    file: file.key,
    row: null,
    column,
    message: `The column is missing${similarTo(column, names)}`,
  }))
  errors.push(...wrongTypes(file))
  if (errors.length > 0) throw new BillRefused(errors)
}

function similarTo(column: string, names: readonly string[]): string {
  const bare = (name: string) => name.toLowerCase().replaceAll(/[^a-z]/g, '')
  const found = names.find((name) => bare(name) === bare(column))
  return found === undefined ? '' : `; "${found}" is not its name`
}

const wrongTypes = (file: BillFile): BillError[] =>
  [...file.columns].flatMap(([name, type]) => {
    const message = wrongType(name, type)
    const column = file.given.get(name) ?? name
    return message === undefined ? [] : [{ file: file.key, row: null, column, message }]
  })

/** What a bill is that is no FOCUS, and how its cloud makes one that is. */
function otherFormat(names: readonly string[]): string | undefined {
  const lower = new Set(names.map((name) => name.toLowerCase()))
  const has = (...some: string[]) => some.some((name) => lower.has(name))
  if (has('lineitem/unblendedcost', 'line_item_unblended_cost', 'identity/lineitemid'))
    return 'This is a Cost and Usage Report of AWS, not FOCUS. In AWS Billing, under Data Exports, create a standard export of the table "FOCUS with AWS columns" and name its bucket and prefix.'
  if (has('costinbillingcurrency', 'pretaxcost'))
    return 'This is a cost export of Azure, not FOCUS. In Cost Management, under Exports, create an export of the type "Cost and usage details (FOCUS)".'
  if (has('usage_start_time') || has('project.id', 'service.description'))
    return 'This is a billing export of Google Cloud, not FOCUS. In Billing, under Billing export, switch on the FOCUS export to BigQuery.'
  if (has('lineitem/referenceno', 'cost/mycost'))
    return 'This is a cost report of OCI, not FOCUS. Use the files of the folder "FOCUS Reports".'
  return undefined
}

/** By the columns that each version brought or removed. */
export function focusVersion(file: BillFile): string {
  const has = (name: string) => file.columns.has(name)
  if (has('ServiceProviderName')) return has('ProviderName') ? '1.3' : '1.4'
  if (has('InvoiceId') || has('BillingAccountType') || has('PricingCurrency')) return '1.2'
  return has('SkuMeter') || has('ServiceSubcategory') || has('CapacityReservationId')
    ? '1.1'
    : '1.0'
}
