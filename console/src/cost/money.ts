/** `cents: false` for figures that are read at a glance. */
export function money(amount: number, currency: string, { cents = true } = {}): string {
  const digits = cents ? 2 : 0
  try {
    return new Intl.NumberFormat('en', {
      style: 'currency',
      currency,
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    }).format(amount)
  } catch {
    // A bill's currency can be a name of its own.
    return `${amount.toFixed(digits)} ${currency}`
  }
}

/** Of one order or user, which can cost parts of a cent: four digits that count. */
export function unitMoney(amount: number, currency: string): string {
  if (Math.abs(amount) >= 1 || amount === 0) return money(amount, currency)
  try {
    return new Intl.NumberFormat('en', {
      style: 'currency',
      currency,
      minimumSignificantDigits: 2,
      maximumSignificantDigits: 4,
    }).format(amount)
  } catch {
    return `${amount.toPrecision(4)} ${currency}`
  }
}

/** `+12 %`; undefined where there is nothing to compare with. */
export function change(now: number, before: number): string | undefined {
  if (before <= 0) return undefined
  const percent = Math.round((100 * (now - before)) / before)
  return `${percent > 0 ? '+' : percent < 0 ? '−' : '±'}${Math.abs(percent)} %`
}

/** For the axis of a chart. */
export function compactMoney(amount: number, currency: string): string {
  try {
    return new Intl.NumberFormat('en', {
      style: 'currency',
      currency,
      notation: 'compact',
      // What one order costs can be parts of a cent.
      ...(Math.abs(amount) < 1 ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: 1 }),
    }).format(amount)
  } catch {
    return amount.toLocaleString('en', { notation: 'compact' })
  }
}
