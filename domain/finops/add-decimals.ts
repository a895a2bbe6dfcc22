import { formatDecimal, parseDecimal } from './decimal.ts'

/** The exact sum of decimal texts. */
export const addDecimals = (texts: readonly string[]): string =>
  formatDecimal(texts.reduce((sum, text) => sum + parseDecimal(text), 0n))
