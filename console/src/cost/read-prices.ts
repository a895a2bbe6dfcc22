import type { Body } from '../api/call.ts'
import { matchValue, type Match } from './match-lines.ts'

type NewPrice = Body<'createPrice'>
export type ReadPrices = {
  prices: Array<{ line: number; price: NewPrice }>
  /** Lines count from 1. */
  faults: Array<{ line: number; message: string }>
}

export const mostPrices = 500

/** The columns by their titles. Any other title is an attribute, and its cell the value that it must have. */
const columns = {
  provider: 'provider',
  type: 'resourceType',
  'resource type': 'resourceType',
  price: 'monthlyPrice',
  'monthly price': 'monthlyPrice',
  currency: 'currency',
  'valid from': 'validFrom',
  source: 'source',
} as const
type Column = (typeof columns)[keyof typeof columns]
type Title = { column: Column } | { attribute: string }

/** A price book as CSV of a spreadsheet: a line of titles, then one price a line (RFC 4180). */
export function readPrices(text: string): ReadPrices {
  const rows = rowsOf(text.replace(/^\ufeff/, ''))
  const [first, ...others] = rows.filter(({ cells }) => cells.some((cell) => cell.trim() !== ''))
  if (!first) return { prices: [], faults: [{ line: 1, message: 'The file is empty.' }] }
  const titles = first.cells.map((cell) => titleOf(cell.trim()))
  const missing = (['provider', 'resourceType', 'monthlyPrice', 'currency'] as const).filter(
    (column) => !titles.some((title) => 'column' in title && title.column === column),
  )
  if (missing.length > 0)
    return { prices: [], faults: [{ line: first.line, message: missingWords(missing) }] }
  const read: ReadPrices = { prices: [], faults: [] }
  for (const { line, cells } of others) {
    const found = priceOf(titles, cells)
    if ('message' in found) read.faults.push({ line, ...found })
    else read.prices.push({ line, price: found })
  }
  const over = read.prices[mostPrices]
  if (over)
    read.faults.push({
      line: over.line,
      message: `There are more than ${mostPrices} prices. Add the others with a second file.`,
    })
  return read
}

const titleOf = (cell: string): Title => {
  const name = cell.toLowerCase().replaceAll(/[_-]/g, ' ')
  // The key was just looked for.
  return Object.hasOwn(columns, name)
    ? { column: columns[name as keyof typeof columns] }
    : { attribute: cell }
}

const missingWords = (missing: readonly Column[]): string => {
  const titles = { provider: 'provider', resourceType: 'type', monthlyPrice: 'price' }
  const named = missing.map((column) => ({ ...titles, currency: 'currency' })[column as 'currency'])
  return `The first line has no column ${named.join(', ')}. It needs provider, type, price and currency.`
}

function priceOf(
  titles: readonly Title[],
  cells: readonly string[],
): NewPrice | { message: string } {
  if (cells.length > titles.length)
    return { message: 'There are more cells than titles. Put a text with commas in quotes.' }
  const values: Partial<Record<Column, string>> = {}
  const match: Match = {}
  for (const [at, title] of titles.entries()) {
    const cell = cells[at]?.trim() ?? ''
    if (cell === '') continue
    if ('column' in title) values[title.column] = cell
    else if (title.attribute === '') return { message: `Column ${at + 1} has no title.` }
    else match[title.attribute] = matchValue(cell)
  }
  const { provider, resourceType, monthlyPrice, currency, validFrom, source } = values
  if (!provider || !resourceType) return { message: 'The provider or the type is missing.' }
  if (!monthlyPrice || !/^\d+(\.\d+)?$/.test(monthlyPrice))
    return { message: `“${(monthlyPrice ?? '').slice(0, 40)}” is no price. Write it as 1200.50.` }
  if (!currency || !/^[A-Z]{3}$/.test(currency))
    return { message: 'The currency is missing or no code such as EUR.' }
  if (validFrom !== undefined && !/^\d{4}-\d{2}-\d{2}$/.test(validFrom))
    return { message: `“${validFrom.slice(0, 40)}” is no day. Write it as 2026-03-31.` }
  return {
    provider,
    resourceType,
    monthlyPrice: Number(monthlyPrice),
    currency,
    match,
    ...(validFrom && { validFrom }),
    ...(source && { source }),
  }
}

type Row = { line: number; cells: string[] }

/** Cells by commas, semicolons or tabs, whichever the first line has. Quoted cells keep them. */
function rowsOf(text: string): Row[] {
  const separator = /[;\t,]/.exec(text.split(/[\r\n]/, 1)[0] ?? '')?.[0] ?? ','
  const rows: Row[] = []
  let row: Row = { line: 1, cells: [''] }
  let quoted = false
  let line = 1
  const put = (letter: string) => (row.cells[row.cells.length - 1] += letter)
  for (let at = 0; at < text.length; at += 1) {
    const letter = text.charAt(at)
    if (letter === '\n') line += 1
    if (quoted && letter === '"' && text[at + 1] === '"') {
      put('"')
      at += 1
    } else if (letter === '"' && (quoted || row.cells.at(-1) === '')) quoted = !quoted
    else if (!quoted && letter === separator) row.cells.push('')
    else if (!quoted && letter === '\n') {
      rows.push(row)
      row = { line, cells: [''] }
    } else if (quoted || letter !== '\r') put(letter)
  }
  return [...rows, row]
}
