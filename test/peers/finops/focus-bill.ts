/** A line of a bill by FOCUS's names. What is left out is null. */
type Line = Record<string, string | number>

const month = '2026-10'
const at = (day: number, hour = 0) => new Date(Date.UTC(2026, 9, day, hour)).toISOString()

const usual: Line = {
  BillingAccountId: 'payer-1',
  BillingAccountName: 'Example Ltd',
  BillingAccountType: 'Organization',
  BillingCurrency: 'USD',
  BillingPeriodStart: `${month}-01T00:00:00Z`,
  BillingPeriodEnd: '2026-11-01T00:00:00Z',
  ProviderName: 'Example Cloud',
  PublisherName: 'Example Cloud',
  InvoiceIssuerName: 'Example Cloud',
  InvoiceId: 'inv-2026-10',
  SubAccountId: 'sub-1',
  SubAccountName: 'production',
  SubAccountType: 'Project',
  ServiceCategory: 'Compute',
  ServiceSubcategory: 'Virtual Machines',
  ServiceName: 'Virtual Servers',
  RegionId: 'eu-1',
  RegionName: 'Europe 1',
  PricingCurrency: 'USD',
}

const unit = (list: number, contracted: number): Line => ({
  ListUnitPrice: list,
  ContractedUnitPrice: contracted,
  PricingCurrencyListUnitPrice: list,
  PricingCurrencyContractedUnitPrice: contracted,
})

/** An hour of a server at its price. */
const server = (day: number, hour: number, more: Line = {}): Line => ({
  ...usual,
  ...unit(0.25, 0.125),
  ChargePeriodStart: at(day, hour),
  ChargePeriodEnd: at(day, hour + 1),
  ChargeCategory: 'Usage',
  ChargeDescription: 'An hour of a server',
  ChargeFrequency: 'Usage-Based',
  AvailabilityZone: 'eu-1a',
  ResourceId: 'server-1',
  ResourceName: 'web, "first"',
  ResourceType: 'Virtual Machine',
  SkuId: 'sku-vm',
  SkuMeter: 'Server Hours',
  SkuPriceId: 'price-vm',
  SkuPriceDetails: '{"CoreCount": 2, "x_Family": "standard"}',
  PricingCategory: 'Standard',
  PricingUnit: 'Hours',
  PricingQuantity: 1,
  ConsumedQuantity: 1,
  ConsumedUnit: 'Hours',
  BilledCost: 0.125,
  EffectiveCost: 0.125,
  ContractedCost: 0.125,
  ListCost: 0.25,
  PricingCurrencyEffectiveCost: 0.125,
  Tags: '{"team": "shop", "x:empty": "", "x:flag": true}',
  ...more,
})

const commitment: Line = {
  CommitmentDiscountId: 'plan-1',
  CommitmentDiscountName: 'three years',
  CommitmentDiscountCategory: 'Usage',
  CommitmentDiscountType: 'Reserved',
  CommitmentDiscountUnit: 'Hours',
}

/** Covered by the commitment, of which a part of each day is not used. */
const covered = (day: number, hour: number): Line => ({
  ...server(day, hour, { ResourceId: 'server-2', ResourceName: 'db' }),
  ...commitment,
  CommitmentDiscountStatus: 'Used',
  CommitmentDiscountQuantity: 1,
  PricingCategory: 'Committed',
  BilledCost: 0,
  EffectiveCost: 0.0625,
  PricingCurrencyEffectiveCost: 0.0625,
})

const unused = (day: number, hour: number): Line => {
  const { ConsumedQuantity: _, ConsumedUnit: __, ...line } = covered(day, hour)
  const { ResourceId: ___, ResourceName: ____, ResourceType: _____, Tags: ______, ...rest } = line
  return { ...rest, CommitmentDiscountStatus: 'Unused', AvailabilityZone: 'eu-1b' }
}

const purchase = (cost: number): Line => {
  const line = unused(1, 0)
  const { CommitmentDiscountStatus: _, AvailabilityZone: __, ...rest } = line
  return {
    ...rest,
    ...unit(cost, cost),
    ChargePeriodStart: at(1),
    ChargePeriodEnd: at(32),
    ChargeCategory: 'Purchase',
    ChargeDescription: 'A commitment of three years',
    ChargeFrequency: 'Recurring',
    SkuId: 'sku-plan',
    SkuMeter: 'Commitment',
    SkuPriceId: 'price-plan',
    SkuPriceDetails: '{"x_Term": "three years"}',
    PricingCategory: 'Standard',
    PricingUnit: 'Months',
    CommitmentDiscountQuantity: 1,
    BilledCost: cost,
    EffectiveCost: 0,
    PricingCurrencyEffectiveCost: 0,
    ContractedCost: cost,
    ListCost: cost,
  }
}

const ofMonth = (category: string, cost: number, description: string): Line => ({
  ...usual,
  ChargePeriodStart: at(1),
  ChargePeriodEnd: at(32),
  ChargeCategory: category,
  ChargeDescription: description,
  ChargeFrequency: 'One-Time',
  BilledCost: cost,
  EffectiveCost: cost,
  PricingCurrencyEffectiveCost: cost,
  ContractedCost: cost,
  ListCost: cost,
})

/** A month of a bill that follows FOCUS 1.2: usage, a commitment, a credit, tax and a correction. */
export function focusBill(): { csv: string; lines: number } {
  const hours = Array.from({ length: 4 * 24 }, (_, n) => [1 + Math.floor(n / 24), n % 24] as const)
  const pairs = hours.map(([day, hour]) => (hour < 18 ? covered(day, hour) : unused(day, hour)))
  const lines = [
    ...hours.map(([day, hour]) => server(day, hour)),
    ...pairs,
    purchase(pairs.length * 0.0625),
    ofMonth('Credit', -1.5, 'For an outage'),
    ofMonth('Tax', 2.345678901234, 'VAT'),
    server(2, 3, { ChargeClass: 'Correction', BilledCost: -0.125, EffectiveCost: -0.125 }),
  ]
  const names = [...new Set(lines.flatMap((line) => Object.keys(line)))]
  const cell = (value: string | number | undefined) => {
    const text = String(value ?? '')
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }
  const rows = [names, ...lines.map((line) => names.map((name) => line[name]))]
  return { csv: `${rows.map((row) => row.map(cell).join(',')).join('\n')}\n`, lines: lines.length }
}
