import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { DuckDBConnection } from '@duckdb/node-api'
import { Client } from 'pg'
import { from } from 'pg-copy-streams'
import { chargeColumns } from '../../domain/finops/focus/charge-columns.ts'

/** What any loader must do: DuckDB groups the lines to the day by all dimensions, and adds the costs up. */
export async function groupBare(
  database: DuckDBConnection,
  parquet: string,
  target: string,
): Promise<void> {
  const described = await database.runAndReadAll(`SELECT * FROM '${parquet}' LIMIT 0`)
  const given = new Set(described.columnNames())
  const values = chargeColumns.map(({ name, focus, type, role }) => {
    if (name === 'day') return 'CAST(ChargePeriodStart AS DATE)'
    if (focus === undefined || !given.has(focus)) return 'NULL'
    if (type === 'cost') return `sum(CAST(${focus} AS DECIMAL(38, 12)))`
    if (type === 'quantity') return role === 'sum' ? `sum(${focus})` : `max(${focus})`
    if (type === 'timestamptz') return `${role === 'first' ? 'min' : 'max'}(${focus})`
    return type === 'jsonb' ? `to_json(${focus})` : focus
  })
  await database.run(
    `COPY (SELECT ${values.join(', ')} FROM '${parquet}' GROUP BY ALL) TO '${target}' (FORMAT csv, HEADER false)`,
  )
}

const sqlTypes = { cost: 'numeric(30, 12)', quantity: 'numeric(38, 15)' } as Record<string, string>

/** Copies a file into a table of the columns of a charge, without an index or a constraint. */
export async function copyBare(databaseUrl: string, path: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const columns = chargeColumns.map(({ name, type }) => `${name} ${sqlTypes[type] ?? type}`)
    await client.query('drop table if exists bare_charges')
    await client.query(`create table bare_charges (${columns.join(', ')})`)
    await pipeline(
      createReadStream(path, { highWaterMark: 1024 ** 2 }),
      client.query(from('copy bare_charges from stdin with (format csv)')),
    )
  } finally {
    await client.end()
  }
}
