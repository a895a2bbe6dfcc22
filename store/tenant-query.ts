import type { Client } from 'pg'
import { KeptQuery, type Prefix, type PreparedQuery, type Scalar } from './kept-query.ts'

const setTenant = {
  name: 'set-tenant',
  text: `select set_config('cc.organization_id', $1, true), set_config('transaction_read_only', 'on', true)`,
}

/** Has the connection know the statement that a tenant's reading begins with. It sets nothing beyond itself. */
export const prepareTenantQueries = async (connection: Client): Promise<unknown> =>
  connection.query({ ...setTenant, values: [''] })

/**
 * Sets the organization and asks one query, in one message and one transaction. The protocol
 * holds whatever comes before its Sync message in one implicit transaction; the setting is local
 * to that, and gone before anything else can run on the connection. So it is as `begin`,
 * `set_config`, the query and `commit`, of which the three around it cost more than the query.
 */
export const tenantRows = async <R>(
  connection: Client,
  organizationId: number,
  query: PreparedQuery<Scalar>,
): Promise<R[]> =>
  keptRows(connection, query, { name: setTenant.name, values: [String(organizationId)] })

/** Asks one query, which sees what the connection's role sees. */
export async function keptRows<R>(
  connection: Client,
  query: PreparedQuery<Scalar>,
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
