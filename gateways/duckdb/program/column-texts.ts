import { isNested } from './column-types.ts'
import type { BillFile } from './bill-file.ts'
import { named } from './open-database.ts'

/** The text of a column, in SQL; null where the file has none. */
export function textOf(file: BillFile, name: string): string {
  const type = file.columns.get(name)
  if (type === undefined) return 'CAST(NULL AS VARCHAR)'
  if (type === 'VARCHAR') return named(name)
  return `CAST(${isNested(type) ? `to_json(${named(name)})` : named(name)} AS VARCHAR)`
}
