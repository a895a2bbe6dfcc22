import { createHash } from 'node:crypto'
import type { Knex } from 'knex'
import type { Client } from 'pg'
import { sendTogether } from './send-together.ts'
import type { PreparedQuery } from './kept-query.ts'

/** Runs one prepared statement, whose plan PostgreSQL keeps on the connection; in a transaction, as its next one. */
export async function askPrepared<R>(db: Knex, query: PreparedQuery): Promise<R[]> {
  // knex's way to the driver's own connection, which its types leave open.
  const connection: Client = await db.client.acquireConnection()
  try {
    sendTogether(connection)
    const { rows } = await connection.query(query)
    // The rows are what the query names.
    return rows as R[]
  } finally {
    await db.client.releaseConnection(connection)
  }
}

/**
 * Runs a query of knex as a prepared statement of this name: for one that is asked often and whose planning
 * costs more than its rows. Its text must name its columns, since PostgreSQL refuses a prepared statement
 * whose columns a migration changed, and columns come back under the names that the text gives them. A list of ids
 * is `any(array(select unnest(?::integer[])))`: where the planner sees how many there are, a plan for their number
 * looks cheaper to it than the kept one, and it plans each execution anew, which took ten times as long as the rows.
 */
export async function askNamed<R>(db: Knex, name: string, query: Knex.Raw): Promise<R[]> {
  const { sql, bindings } = query.toSQL().toNative()
  return askPrepared<R>(db, { name, text: sql, values: [...bindings] })
}

/** The same for a statement that has few forms: the name is made of its text. */
export async function askForm<R>(db: Knex, query: Knex.QueryBuilder | Knex.Raw): Promise<R[]> {
  const { sql, bindings } = query.toSQL().toNative()
  const name = `form-${createHash('sha256').update(sql).digest('hex').slice(0, 20)}`
  return askPrepared<R>(db, { name, text: sql, values: [...bindings] })
}
