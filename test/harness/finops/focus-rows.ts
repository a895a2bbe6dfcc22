/** A row of a bill by the names of FOCUS; what is left out has a usual value. */
export type FocusRow = { day: string; cost: number } & Partial<
  Record<'ServiceName' | 'ResourceId' | 'SubAccountId' | 'RegionId' | 'SkuId' | 'Tags', string>
>

/** A month's bill of AWS as FOCUS 1.0 in CSV. */
export function focusRows(month: string, rows: readonly FocusRow[]): string {
  const [year = 0, number = 0] = month.split('-').map(Number)
  const period = [Date.UTC(year, number - 1, 1), Date.UTC(year, number, 1)].map(timeOf)
  const cell = (value: string | number) => `"${String(value).replaceAll('"', '""')}"`
  const lines = rows.map(({ day, cost, ...row }) => {
    const start = Date.parse(`${day}T00:00:00Z`)
    const times = [...period, timeOf(start), timeOf(start + 86_400_000)]
    const named = texts.map(
      (name) => row[name] ?? (name === 'ServiceName' ? 'Amazon Elastic Compute Cloud' : ''),
    )
    return [cost, cost, cost, 'USD', ...times, 'Usage', 'AWS', ...named]
  })
  return [[...fixed, ...texts], ...lines].map((line) => `${line.map(cell).join(',')}\n`).join('')
}

const timeOf = (ms: number) => new Date(ms).toISOString()
const fixed = [
  'BilledCost',
  'EffectiveCost',
  'ListCost',
  'BillingCurrency',
  'BillingPeriodStart',
  'BillingPeriodEnd',
  'ChargePeriodStart',
  'ChargePeriodEnd',
  'ChargeCategory',
  'ProviderName',
]
const texts = ['ServiceName', 'ResourceId', 'SubAccountId', 'RegionId', 'SkuId', 'Tags'] as const
