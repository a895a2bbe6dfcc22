import { formatDecimal } from '../../domain/finops/decimal.ts'

const decimals = 12

/**
 * The exact text of an amount, with at most 12 decimals: the shortest digits that identify the
 * number, so 0.1 is `0.1` and 1e-7 is `0.0000001`. Decimals beyond the twelfth are rounded away.
 * Undefined if that would round a price to zero, and for anything that is no amount.
 */
export function decimalText(amount: number): string | undefined {
  if (!Number.isFinite(amount) || amount < 0) return undefined
  const [digits = '', exponent = ''] = amount.toExponential().split('e')
  const [whole = '', fraction = ''] = digits.split('.')
  const shift = Number(exponent) - fraction.length + decimals
  const written = BigInt(whole + fraction)
  const units = shift >= 0 ? written * 10n ** BigInt(shift) : roundHalfUp(written, -shift)
  if (amount > 0 && units === 0n) return undefined
  return formatDecimal(units)
}

function roundHalfUp(value: bigint, digits: number): bigint {
  const unit = 10n ** BigInt(digits)
  return (value + unit / 2n) / unit
}
