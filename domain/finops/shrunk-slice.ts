import { parseDecimal } from './decimal.ts'

/** What counts of a slice of a bill; money as decimal text. */
export type SliceExtent = { records: number; days: number; billed: string; effective: string }

/** With the bill's own rows, before they are grouped. */
export type ReadExtent = SliceExtent & { rowsRead: number; list: string }

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

/**
 * Whether the same rows of a bill were read once more: fewer rows at day grain are then rows whose tags are one by now,
 * and no smaller bill.
 */
export function hasSameRows(given: ReadExtent, held: ReadExtent): boolean {
  const sums = ['billed', 'effective', 'list'] as const
  return (
    held.rowsRead > 0 &&
    given.rowsRead === held.rowsRead &&
    given.days === held.days &&
    sums.every((name) => parseDecimal(given[name]) === parseDecimal(held[name]))
  )
}

/** Of a month of credits alone nothing can be said. */
function isUnderHalf(given: string, held: string): boolean {
  const before = parseDecimal(held)
  return before > 0n && parseDecimal(given) * 2n < before
}
