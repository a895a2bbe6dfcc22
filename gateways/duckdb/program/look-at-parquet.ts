import type { DuckDBConnection } from '@duckdb/node-api'
import { focusNames, requiredNames } from './column-names.ts'
import { digitsAtMost, wrongType } from './column-types.ts'
import { assertColumns, type BillFile, type NamedFile } from './bill-file.ts'
import { named, quoted, rowsOf } from './open-database.ts'

/** Says which columns a file of Parquet has. */
export async function lookAtParquet(
  database: DuckDBConnection,
  file: NamedFile,
): Promise<BillFile> {
  const read = (path: string, numbered: boolean) =>
    `read_parquet(${quoted(path)}, binary_as_string = true, file_row_number = ${numbered}, hive_partitioning = false)`
  const described = await rowsOf(database, `DESCRIBE SELECT * FROM ${read(file.path, false)}`)
  const given = described.map((row) => String(row['column_name']))
  assertColumns(file.key, given)

  const long = await longDecimals(database, file.path)
  const names = focusNames(given)
  const columns = new Map(
    described.map((row, index) => {
      const name = given[index] ?? ''
      return [names[index] ?? name, long.get(name) ?? String(row['column_type'])]
    }),
  )
  // Names of DuckDB are the same in each case.
  const renamed = given.flatMap((name, index) => {
    const other = names[index] ?? name
    return name.toLowerCase() === other.toLowerCase() ? [] : [`${named(name)} AS ${named(other)}`]
  })
  const from: BillFile['from'] = (path, numbered) =>
    renamed.length === 0
      ? read(path, numbered)
      : `(SELECT * RENAME (${renamed.join(', ')}) FROM ${read(path, numbered)})`
  const whole: BillFile = {
    ...file,
    format: 'parquet',
    columns,
    given: new Map(names.map((name, index) => [name, given[index] ?? name])),
    from,
  }
  return withoutEmpty(database, whole)
}

/** The types of decimals that DuckDB has none for, and describes as DOUBLE. */
async function longDecimals(
  database: DuckDBConnection,
  path: string,
): Promise<ReadonlyMap<string, string>> {
  const schema = `parquet_schema(${quoted(path)})`
  const [found] = await rowsOf(
    database,
    `SELECT CAST(count(*) AS INTEGER) AS long FROM ${schema} WHERE precision > ${digitsAtMost}`,
  )
  const long = new Map<string, string>()
  if (Number(found?.['long']) === 0) return long
  // The schema is a tree, written parents first. Fields of a nested column may have the name of another column.
  let within = 0
  const [, ...fields] = await rowsOf(
    database,
    `SELECT name, CAST(num_children AS INTEGER) AS children, CAST(precision AS INTEGER) AS digits, CAST(scale AS INTEGER) AS scale FROM ${schema}`,
  )
  for (const { name, children, digits, scale } of fields) {
    if (within > 0) within -= 1
    else if (Number(digits) > digitsAtMost)
      long.set(String(name), `DECIMAL(${Number(digits)}, ${Number(scale)})`)
    within += Number(children ?? 0)
  }
  return long
}

/**
 * Leaves out columns of another type that have no value: pandas and Arrow write a column of nothing but nulls as one of
 * INTEGER, whatever it would hold.
 */
async function withoutEmpty(database: DuckDBConnection, file: BillFile): Promise<BillFile> {
  const wrong = [...file.columns].flatMap(([name, type]) =>
    wrongType(name, type) === undefined || requiredNames.includes(name) ? [] : [name],
  )
  if (wrong.length === 0) return file
  const counts = wrong.map(
    (name, index) => `CAST(count(${named(name)}) > 0 AS INTEGER) AS c${index}`,
  )
  const [found] = await rowsOf(
    database,
    `SELECT ${counts.join(', ')} FROM ${file.from(file.path, false)}`,
  )
  const empty = new Set(wrong.filter((_, index) => Number(found?.[`c${index}`]) === 0))
  return { ...file, columns: new Map([...file.columns].filter(([name]) => !empty.has(name))) }
}
