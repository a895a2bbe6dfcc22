export type ReadValues = {
  values: Array<{ day: string; value: number }>
  /** Lines count from 1. */
  faults: Array<{ line: number; message: string }>
}

const mostValues = 10_000
const leastValue = 1e-12
const greatestValue = 1e15

/**
 * Values that were pasted, one day a line: `2026-03-01,1200`. A spreadsheet separates with tabs or semicolons,
 * quotes cells, and begins with a line of titles.
 */
export function readValues(text: string): ReadValues {
  const read: ReadValues = { values: [], faults: [] }
  const lineOf = new Map<string, number>()
  for (const [at, row] of text.split(/\r\n|\r|\n/).entries()) {
    const line = at + 1
    const cells = cellsOf(row)
    if (cells.every((cell) => cell === '') || isTitle(cells, at)) continue
    const found = valueOf(cells)
    const first = 'day' in found ? lineOf.get(found.day) : undefined
    if ('message' in found) read.faults.push({ line, ...found })
    else if (first !== undefined)
      read.faults.push({ line, message: `${found.day} is in line ${first} already.` })
    else {
      lineOf.set(found.day, line)
      read.values.push(found)
    }
  }
  if (read.values.length > mostValues)
    read.faults.push({
      line: lineOf.get(read.values[mostValues]?.day ?? '') ?? 1,
      message: `There are more than ${mostValues.toLocaleString('en')} days. Save the others afterwards.`,
    })
  return read
}

const cellsOf = (row: string): string[] =>
  row.split(/[,;\t]/).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'))

const isTitle = ([day = '', value = '']: string[], at: number): boolean =>
  at === 0 && /^\p{L}/u.test(day.replace('\ufeff', '')) && /^\p{L}/u.test(value)

type Found = { day: string; value: number } | { message: string }

function valueOf([first = '', text = '', ...more]: string[]): Found {
  const day = first.replace('\ufeff', '')
  if (!isDay(day)) return { message: `“${shown(day)}” is no day. Write it as 2026-03-31.` }
  if (text === '') return { message: 'The value is missing. Write the day, a comma and the value.' }
  if (more.some((cell) => cell !== ''))
    return { message: 'There are more than two columns. Write 1200.5, not 1,200.5 or 1200,5.' }
  if (!/^\+?(\d+\.?\d*|\.\d+)$/.test(text))
    return { message: `“${shown(text)}” is no number of 0 or more. Write it as 1200.5.` }
  const value = Number(text)
  if (value > greatestValue) return { message: 'The value is above 1,000,000,000,000,000.' }
  if (value > 0 && value < leastValue)
    return { message: 'The value is 0, or at least 0.000000000001.' }
  return { day, value }
}

/** Of the calendar: there is no 30th of February. */
function isDay(text: string): boolean {
  if (!/^(19[7-9]|[2-9]\d{2})\d-\d{2}-\d{2}$/.test(text)) return false
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

const shown = (cell: string): string => (cell.length > 40 ? `${cell.slice(0, 40)}…` : cell)
