import { parseDecimal } from './decimal.ts'

/** What counts of a slice of a bill; money as decimal text. */
export type SliceExtent = { records: number; days: number; billed: string; effective: string }

/**
 * Why an export is suspect, in place of what it would replace: it covers fewer days, or under half of the
 * rows or of the cost. A provider that is writing a month anew shows such an export for some minutes.
 */
export function whyShrunk(given: SliceExtent, held: SliceExtent): string | undefined {
  const found: string[] = []
  if (given.days < held.days) found.push(`${given.days} days in place of ${held.days}`)
  if (given.records * 2 < held.records)
    found.push(`${given.records} rows in place of ${held.records}`)
  if (isUnderHalf(given.effective, held.effective) || isUnderHalf(given.billed, held.billed))
    found.push('under half of the cost')
  if (found.length === 0) return undefined
  return `The export has ${found.join(', ')}. Accept it if the bill did become smaller.`
}

/** Of a month of credits alone nothing can be said. */
function isUnderHalf(given: string, held: string): boolean {
  const before = parseDecimal(held)
  return before > 0n && parseDecimal(given) * 2n < before
}
