import { chargeColumns } from '../../../domain/finops/focus/charge-columns.ts'

export const isNested = (type: string): boolean => /^(MAP|STRUCT)\(|\[\d*\]$/.test(type)

const numeric = /^(DOUBLE|FLOAT|DECIMAL\(.*|U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|VARCHAR)$/
const temporal = /^(TIMESTAMP.*|DATE|VARCHAR)$/

/** DuckDB reads a longer decimal as DOUBLE, and its values are then wrong. */
export const digitsAtMost = 38

export const isTooLong = (type: string): boolean =>
  Number(/^DECIMAL\((\d+)/.exec(type)?.[1] ?? 0) > digitsAtMost

const types = new Map(chargeColumns.flatMap(({ focus, type }) => (focus ? [[focus, type]] : [])))

/** Why a column of FOCUS cannot be of a type of DuckDB's; undefined where it can. */
export function wrongType(focus: string, given: string): string | undefined {
  const type = types.get(focus)
  if (type === undefined) return undefined
  if (isTooLong(given))
    return `The column is of type ${given}, and at most ${digitsAtMost} digits are read: write it as DECIMAL(${digitsAtMost}, …) or as text`
  const wanted =
    type === 'cost' || type === 'quantity'
      ? numeric.test(given) || 'a number'
      : type === 'date' || type === 'timestamptz'
        ? temporal.test(given) || 'a time'
        : type === 'jsonb'
          ? given === 'VARCHAR' || given === 'JSON' || isNested(given) || 'tags'
          : true
  return wanted === true
    ? undefined
    : `The column is of type ${given.slice(0, 60)}, which is not ${wanted}`
}
