/** A bill as FOCUS 1.0 in CSV: a row for each cost, on consecutive days of the month. */
export function focusCsv(
  month: string,
  costs: readonly (number | string)[],
  { currency = 'USD' }: { currency?: string } = {},
): string {
  const head = [
    'BilledCost',
    'EffectiveCost',
    'ListCost',
    'BillingCurrency',
    'BillingPeriodStart',
    'BillingPeriodEnd',
    'ChargePeriodStart',
    'ChargePeriodEnd',
    'ChargeCategory',
    'ServiceName',
    'ProviderName',
    'ResourceId',
  ]
  const [year = 0, number = 0] = month.split('-').map(Number)
  const start = (at: Date) => at.toISOString()
  const rows = costs.map((cost, at) => [
    cost,
    cost,
    cost,
    currency,
    start(new Date(Date.UTC(year, number - 1, 1))),
    start(new Date(Date.UTC(year, number, 1))),
    start(new Date(Date.UTC(year, number - 1, 1 + at))),
    start(new Date(Date.UTC(year, number - 1, 2 + at))),
    'Usage',
    'Rack space',
    'Data Center',
    `rack-${at}`,
  ])
  return [head, ...rows].map((row) => `${row.join(',')}\n`).join('')
}
