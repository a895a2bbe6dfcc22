import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { dayAfter } from '../../../domain/finops/anomalies/days.ts'
import { dollars, type DemoCharge } from './demo-charge.ts'
import type { DemoCloud, DemoResource } from './demo-resource.ts'

type Cell = string | number | null

/** Who bills, as each cloud names itself. */
const issuers: Readonly<Record<DemoCloud, { name: string; account: string; accountName: string }>> =
  {
    aws: { name: 'AWS', account: '111122223333', accountName: 'Northwind' },
    azure: { name: 'Microsoft', account: '8611537', accountName: 'Northwind' },
    gcp: { name: 'Google Cloud', account: '01A2B3-C4D5E6-F70819', accountName: 'Northwind' },
  }

type Row = DemoCharge & { cloud: DemoCloud; end: string; monthEnd: string }
const start = (day: string) => `${day}T00:00:00Z`
const monthOf = (day: string) => `${day.slice(0, 7)}-01`

/** The columns of FOCUS 1.2 that the demo's bills have. */
const columns: Readonly<Record<string, (row: Row) => Cell>> = {
  BilledCost: ({ billed }) => dollars(billed),
  BillingAccountId: ({ cloud }) => issuers[cloud].account,
  BillingAccountName: ({ cloud }) => issuers[cloud].accountName,
  BillingAccountType: () => 'Billing account',
  BillingCurrency: () => 'USD',
  BillingPeriodEnd: ({ monthEnd }) => start(monthEnd),
  BillingPeriodStart: ({ day }) => start(monthOf(day)),
  ChargeCategory: ({ category }) => category,
  ChargeClass: ({ isCorrection }) => (isCorrection ? 'Correction' : null),
  ChargeDescription: ({ description }) => description,
  ChargeFrequency: ({ frequency }) => frequency,
  ChargePeriodEnd: ({ end }) => start(end),
  ChargePeriodStart: ({ day }) => start(day),
  CommitmentDiscountCategory: ({ commitment }) => commitment?.category ?? null,
  CommitmentDiscountId: ({ commitment }) => commitment?.id ?? null,
  CommitmentDiscountName: ({ commitment }) => commitment?.name ?? null,
  CommitmentDiscountStatus: ({ commitment }) => commitment?.status ?? null,
  CommitmentDiscountType: ({ commitment }) => commitment?.type ?? null,
  ConsumedQuantity: ({ category, commitment, quantity }) =>
    category === 'Usage' && commitment?.status !== 'Unused' ? quantity : null,
  ConsumedUnit: ({ category, commitment, unit }) =>
    category === 'Usage' && commitment?.status !== 'Unused' ? unit : null,
  ContractedCost: ({ contracted }) => dollars(contracted),
  EffectiveCost: ({ effective }) => dollars(effective),
  InvoiceId: ({ cloud, day }) => `${cloud.toUpperCase()}-${day.slice(0, 7)}`,
  InvoiceIssuerName: ({ cloud }) => issuers[cloud].name,
  ListCost: ({ list }) => dollars(list),
  ListUnitPrice: ({ unitPrice }) => unitPrice.toFixed(10),
  PricingCategory: ({ commitment, category }) =>
    category !== 'Usage' ? null : commitment ? 'Committed' : 'Standard',
  PricingQuantity: ({ quantity }) => quantity,
  PricingUnit: ({ unit }) => unit,
  ProviderName: ({ cloud }) => issuers[cloud].name,
  PublisherName: ({ cloud }) => issuers[cloud].name,
  RegionId: ({ region }) => region,
  RegionName: ({ region }) => (region === null ? null : (regionNames[region] ?? region)),
  ResourceId: ({ resource }) => resource?.id ?? null,
  ResourceName: ({ resource }) => (resource?.id ? resource.name : null),
  ResourceType: ({ resource }) => (resource?.id ? resource.type : null),
  ServiceCategory: ({ serviceCategory }) => serviceCategory,
  ServiceName: ({ service }) => service,
  ServiceSubcategory: ({ serviceSubcategory }) => serviceSubcategory,
  SkuId: ({ cloud, meter }) => `${cloud}-${meter.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`,
  SkuMeter: ({ meter }) => meter,
  SubAccountId: ({ account }) => account?.id ?? null,
  SubAccountName: ({ account }) => account?.name ?? null,
  SubAccountType: ({ cloud, account }) => (account ? accountTypes[cloud] : null),
  Tags: ({ resource }) => tagsOf(resource),
}

const regionNames: Readonly<Record<string, string>> = {
  'eu-central-1': 'Europe (Frankfurt)',
  'us-east-1': 'US East (N. Virginia)',
  global: 'Global',
  westeurope: 'West Europe',
  northeurope: 'North Europe',
  'europe-west3': 'Frankfurt',
  'us-central1': 'Iowa',
}
const accountTypes = { aws: 'Account', azure: 'Subscription', gcp: 'Project' }

/** A resource without a team has no tag at all. */
const tagsOf = (resource: DemoResource | null): string | null =>
  resource === null || resource.team === null
    ? null
    : JSON.stringify({
        team: resource.team,
        ...(resource.account.env !== null && { env: resource.account.env }),
      })

/** FOCUS 1.2 as CSV with gzip. The same charges give the same bytes. */
export async function focusFile(cloud: DemoCloud, charges: readonly DemoCharge[]): Promise<Buffer> {
  const lines = [Object.keys(columns).join(',')]
  const cells = Object.values(columns)
  const dayEnds = new Map<string, string>()
  for (const charge of charges) {
    const { day } = charge
    const end = dayEnds.get(day) ?? dayAfter(day, 1)
    dayEnds.set(day, end)
    const row = { ...charge, cloud, end, monthEnd: monthOf(dayAfter(monthOf(day), 31)) }
    lines.push(cells.map((cell) => written(cell(row))).join(','))
    // Other work of the process comes in between.
    if (lines.length % 1_000 === 0) await setImmediate()
  }
  return promisify(gzip)(`${lines.join('\n')}\n`, { level: 4 })
}

const written = (cell: Cell): string => {
  if (cell === null) return ''
  const text = String(cell)
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
