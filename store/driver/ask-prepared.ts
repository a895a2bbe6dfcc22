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
