/**
 * Money as an exact integer of 1e-12 units, as in the store's numeric(30, 12). Throws for anything but
 * a plain decimal: `1e3`, an empty text and `NaN` are no prices.
 */
export function parseDecimal(text: string): bigint {
  const match = /^(-?)(\d{1,18})(?:\.(\d{1,12}))?$/.exec(text)
  if (!match) throw new RangeError('not a decimal of at most 18 and 12 digits')
  const [, sign, whole = '', fraction = ''] = match
  const units = BigInt(whole + fraction.padEnd(decimals, '0'))
  return sign ? -units : units
}

/** The shortest text of the same value: `70.080000000000` is `70.08`. */
export function formatDecimal(units: bigint): string {
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0')
  const fraction = digits.slice(-decimals).replace(/0+$/, '')
  const text = digits.slice(0, -decimals) + (fraction ? `.${fraction}` : '')
  return units < 0n ? `-${text}` : text
}

const decimals = 12
