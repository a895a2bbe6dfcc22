import { cutText } from './cut-text.ts'

type Side = string | number | boolean | null
export type CutSides = { before: Side; after: Side; cut: boolean }

/**
 * Cuts both sides of a change to a bounded length. Of two long texts the part is kept in which they begin to
 * differ: with their begin alone, an author could hide a change from an approver behind a long equal text.
 */
export function cutSides(before: Side, after: Side, maxLength: number): CutSides {
  const cut = [before, after].some((side) => typeof side === 'string' && side.length > maxLength)
  const start =
    cut && typeof before === 'string' && typeof after === 'string'
      ? startOf(before, after, maxLength)
      : 0
  const shown = (side: Side): Side => {
    if (typeof side !== 'string') return side
    return start === 0 ? cutText(side, maxLength) : `…${cutText(side.slice(start), maxLength)}`
  }
  return { before: shown(before), after: shown(after), cut }
}

/** Zero while the difference is in the first half of what is kept. */
function startOf(before: string, after: string, maxLength: number): number {
  let at = 0
  while (at < before.length && before[at] === after[at]) at += 1
  if (at < maxLength / 2) return 0
  const start = at - Math.floor(maxLength / 5)
  // Not within a pair of surrogates.
  return /[\uDC00-\uDFFF]/.test(before.charAt(start)) ? start - 1 : start
}
