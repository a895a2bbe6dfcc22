import type { DuckDBConnection } from '@duckdb/node-api'
import { quoted, rowsOf } from './open-database.ts'

/** Values that FOCUS lists, by the column of a charge. Google's view over its detailed export writes them in lower case. */
export const spelledValues = {
  charge_category: ['Usage', 'Purchase', 'Tax', 'Credit', 'Adjustment'],
  charge_class: ['Correction'],
  charge_frequency: ['One-Time', 'Recurring', 'Usage-Based'],
  pricing_category: ['Standard', 'Dynamic', 'Committed', 'Other'],
  commitment_discount_status: ['Used', 'Unused'],
}

const listOf = (values: readonly string[]): string => `(${values.map(quoted).join(', ')})`

/** Whether a text is no ChargeCategory, however it is spelled. Most are as FOCUS spells them, and cost one comparison. */
export const isOtherCategory = (category: string): string => {
  const values = spelledValues.charge_category
  const isOther = (text: string) => `${text} NOT IN ${listOf(values)}`
  return `coalesce(${isOther(category)} AND ${isOther(spelled(values, category))}, true)`
}

/** A value as FOCUS spells it; one that it does not list stays. */
function spelled(values: readonly string[], text: string): string {
  const others = values.map((value) => `WHEN '${value.toLowerCase()}' THEN ${quoted(value)}`)
  return `CASE lower(trim(${text})) WHEN '' THEN NULL ${others.join(' ')} ELSE ${text} END`
}

/** The value of a column under `makeSpelling`. */
export const spellingOf = (name: string): string =>
  name in spelledValues ? `spelled_${name}(${name})` : name

/** Makes the macros of `spellingOf`. Of a column that the bill spells as FOCUS does, the macro is the column itself. */
export async function makeSpelling(database: DuckDBConnection): Promise<void> {
  const columns = Object.entries(spelledValues)
  const isOther = columns.map(
    ([name, values]) => `coalesce(bool_or(${name} NOT IN ${listOf(values)}), false) AS ${name}`,
  )
  const [found = {}] = await rowsOf(database, `SELECT ${isOther.join(', ')} FROM grouped`)
  for (const [name, values] of columns) {
    const value = found[name] === true ? spelled(values, 'value') : 'value'
    await database.run(`CREATE MACRO spelled_${name}(value) AS ${value}`)
  }
}
