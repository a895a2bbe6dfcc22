import { chargeColumns } from '../../../domain/finops/focus/charge-columns.ts'

/** FOCUS leaves it open which of the two a bill has (1.3 has both). */
export const providerNames = ['ProviderName', 'ServiceProviderName']

/** Without these a file is no bill; one of `providerNames` is the seventh. */
export const requiredNames = [
  'BilledCost',
  'EffectiveCost',
  'BillingCurrency',
  'ChargePeriodStart',
  'ChargeCategory',
  'ServiceName',
]

/** Some purchases on Azure have a name of the service in this column alone. */
export const serviceInstead = 'x_SkuMeterSubcategory'

/** What Google's FOCUS table has in place of Tags. Of one key the first of these counts. */
export const googleTagNames = ['x_Tags', 'x_Labels', 'x_ProjectLabels']

/** Names of FOCUS before 1.0. Oracle's "FOCUS Reports" still have them. */
const oldNames = {
  Provider: 'ProviderName',
  Publisher: 'PublisherName',
  InvoiceIssuer: 'InvoiceIssuerName',
  Region: 'RegionId',
  UsageQuantity: 'ConsumedQuantity',
  UsageUnit: 'ConsumedUnit',
}

/** Athena writes names in lower case, Snowflake in upper case, and some sheets put blanks around them. */
export const bareName = (name: string): string => name.trim().toLowerCase()

const known = [
  ...chargeColumns.flatMap(({ focus }) => (focus === undefined ? [] : [focus])),
  serviceInstead,
  ...googleTagNames,
]
const spellings = new Map(known.map((name) => [bareName(name), name]))
const renamed = new Map(Object.entries(oldNames).map(([old, name]) => [bareName(old), name]))

/**
 * The names by which the columns of a file are read, in its order: FOCUS's own however they are spelled, and that of an
 * old name where the file lacks the new one. All others stay as they are.
 */
export function focusNames(given: readonly string[]): string[] {
  const spelled = given.map((name) => spellings.get(bareName(name)))
  const taken = new Set(spelled)
  return given.map((name, index) => {
    const old = renamed.get(bareName(name))
    return spelled[index] ?? (old === undefined || taken.has(old) ? name : old)
  })
}
