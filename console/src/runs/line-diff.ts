export type DiffLine = { kind: 'same' | 'added' | 'removed'; text: string }
/** Lines that are next to each other. `line` is the number of its first line in the newer text. */
export type Hunk = { line: number; lines: DiffLine[] }

const context = 3
/** Of the table below: about 20 MB, and a tenth of a second. */
const mostCells = 4_000_000

/** What changed between two texts, by lines, with three lines around. Undefined: too long to be compared. */
export function lineDiff(
  before: string,
  after: string,
  maxCells: number = mostCells,
): Hunk[] | undefined {
  const lines = diffLines(linesOf(before), linesOf(after), maxCells)
  return lines && hunksOf(lines)
}

/** An empty file has no line. */
const linesOf = (text: string) => (text === '' ? [] : text.split(/\r?\n/))

/** All lines of both, in order. Undefined: too many to be compared. */
export function diffLines(
  a: readonly string[],
  b: readonly string[],
  maxCells: number = mostCells,
): DiffLine[] | undefined {
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1
  let end = 0
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end))
    end += 1
  const [olds, news] = [a.slice(start, a.length - end), b.slice(start, b.length - end)]
  if (olds.length * news.length > maxCells) return undefined
  const same = (text: string): DiffLine => ({ kind: 'same', text })
  return [
    ...a.slice(0, start).map(same),
    ...changesOf(olds, news),
    ...a.slice(a.length - end).map(same),
  ]
}

/** By the longest common subsequence. */
function changesOf(olds: readonly string[], news: readonly string[]): DiffLine[] {
  const width = news.length + 1
  const lengths = new Uint32Array((olds.length + 1) * width)
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0
  for (let i = olds.length - 1; i >= 0; i -= 1)
    for (let j = news.length - 1; j >= 0; j -= 1)
      lengths[i * width + j] =
        olds[i] === news[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const lines: DiffLine[] = []
  let [i, j] = [0, 0]
  while (i < olds.length || j < news.length) {
    const [old, now] = [olds[i] ?? '', news[j] ?? '']
    if (i < olds.length && j < news.length && old === now) {
      lines.push({ kind: 'same', text: old })
      i += 1
      j += 1
    } else if (i < olds.length && (j === news.length || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ kind: 'removed', text: old })
      i += 1
    } else {
      lines.push({ kind: 'added', text: now })
      j += 1
    }
  }
  return lines
}

function hunksOf(lines: readonly DiffLine[]): Hunk[] {
  const hunks: Hunk[] = []
  let number = 1
  let shownTo = -1
  for (const [at, line] of lines.entries()) {
    const isNear = lines
      .slice(Math.max(0, at - context), at + context + 1)
      .some(({ kind }) => kind !== 'same')
    if (isNear) {
      if (shownTo !== at - 1 || hunks.length === 0) hunks.push({ line: number, lines: [] })
      hunks.at(-1)?.lines.push(line)
      shownTo = at
    }
    if (line.kind !== 'removed') number += 1
  }
  return hunks
}
