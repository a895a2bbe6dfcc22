/** The value at this quantile, by the nearest-rank method. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}

export const p95 = (values: readonly number[]): number => quantile(values, 0.95)

/** A table with padded columns: the first column left-aligned, the figures right-aligned. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  )
  const lines = rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  )
  const rule = widths.map((width) => '-'.repeat(width)).join('  ')
  return [lines[0] ?? '', rule, ...lines.slice(1)].join('\n')
}

/** A figure beside its limit. */
export type Held = { what: string; value: string; limit: string; isMet: boolean }

type Pair = readonly [measured: number, limit: number]

export const atMost = (what: string, pair: Pair, unit: string): Held =>
  held(what, pair, { sign: '≤', unit, isMet: pair[0] <= pair[1] })

export const atLeast = (what: string, pair: Pair, unit: string): Held =>
  held(what, pair, { sign: '≥', unit, isMet: pair[0] >= pair[1] })

/** A figure that has no limit. */
export const noted = (what: string, value: number, unit: string): Held => ({
  what,
  value: `${rounded(value)} ${unit}`,
  limit: '',
  isMet: true,
})

const held = (
  what: string,
  [measured, limit]: Pair,
  { sign, unit, isMet }: { sign: string; unit: string; isMet: boolean },
): Held => ({
  what,
  value: `${rounded(measured)} ${unit}`,
  limit: `${sign} ${limit} ${unit}`,
  isMet,
})

export const tableOfLimits = (rows: readonly Held[]): string =>
  table([
    ['what', 'measured', 'limit', ''],
    ...rows.map(({ what, value, limit, isMet }) => [
      what,
      value,
      limit,
      limit === '' ? '' : isMet ? 'met' : 'MISSED',
    ]),
  ])

const rounded = (value: number): string => value.toFixed(Math.abs(value) < 10 ? 2 : 0)
