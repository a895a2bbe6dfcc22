import type { Client } from 'pg'
import { KeptQuery, type Prefix, type PreparedQuery, type Value } from './kept-query.ts'

/** Sets the organization, for reading alone, until the transaction ends. */
export const setTenant = {
  name: 'set-tenant',
  text: `select set_config('cc.organization_id', $1, true), set_config('transaction_read_only', 'on', true)`,
}

const setWriter = 'set-tenant-to-write'

/** Prepares the statement that sets the organization on this connection. It has no other effect. */
export const prepareTenantQueries = async (connection: Client): Promise<unknown> =>
  connection.query({ ...setTenant, values: [''] })

/**
 * Sets the organization and runs one query, in one message. PostgreSQL's protocol runs everything
 * before a Sync message in one implicit transaction, and the setting is local to it, so nothing else
 * on the connection ever sees it. Equivalent to `begin`, `set_config`, the query and `commit`, of
 * which the other three cost more than the query.
 */
export const tenantRows = async <R>(
  connection: Client,
  organizationId: number,
  query: PreparedQuery<Value>,
): Promise<R[]> =>
  keptRows(connection, query, { name: setTenant.name, values: [String(organizationId)] })

/** SQL: prepares what `writeRows` sets the organization by. For each connection, before its first write. */
export const prepareWrites = `prepare "${setWriter}" (text) as
  select set_config('cc.organization_id', $1, true)`

/** The same for one statement that writes: it is committed, or all of it is rolled back. */
export const writeRows = async <R>(
  connection: Client,
  organizationId: number,
  query: PreparedQuery<Value>,
): Promise<R[]> =>
  keptRows(connection, query, { name: setWriter, values: [String(organizationId)] })

/** Runs one query without an organization: it sees what the connection's role sees. */
export async function keptRows<R>(
  connection: Client,
  query: PreparedQuery<Value>,
  prefix?: Prefix,
): Promise<R[]> {
  return new Promise((resolve, reject) => {
    const asked: KeptQuery<R> = new KeptQuery<R>(query, prefix, (error) => {
      if (error) reject(error)
      else resolve(asked.found)
    })
    connection.query(asked)
  })
}
