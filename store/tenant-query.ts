import { Query, type Client, type Connection } from 'pg'

/** A statement with its values; PostgreSQL keeps its plan on each connection, under the name. */
export type PreparedQuery = { name: string; text: string; values: unknown[] }

const setTenant = {
  name: 'set-tenant',
  text: `select set_config('cc.organization_id', $1, true), set_config('transaction_read_only', 'on', true)`,
}

/** Has the connection know the statement that `tenantRows` begins with. It sets nothing beyond itself. */
export const prepareTenantQueries = async (connection: Client): Promise<unknown> =>
  connection.query({ ...setTenant, values: [''] })

/**
 * Sets the organization and asks one query, in one message and one transaction. The protocol
 * holds whatever comes before its Sync message in one implicit transaction; the setting is local
 * to that, and gone before anything else can run on the connection. So it is as `begin`,
 * `set_config`, the query and `commit`, of which the three around it cost more than the query.
 */
export async function tenantRows<R>(
  connection: Client,
  organizationId: number,
  query: PreparedQuery,
): Promise<R[]> {
  return new Promise((resolve, reject) => {
    const asked = new Query(query, (error, result) => {
      if (error) reject(error)
      // The rows are what the query names.
      else resolve(result.rows as R[])
    })
    connection.query(withTenant(asked, organizationId))
  })
}

/** What the driver calls as answers come in, which its types do not name. */
type Handlers = {
  handleDataRow: (message: unknown) => void
  handleCommandComplete: (message: unknown, connection: Connection) => void
}

function withTenant(query: Query, organizationId: number): Query {
  // They are methods of the driver's class.
  const own = query as Query & Handlers
  const { submit, handleDataRow, handleCommandComplete } = own
  let isSet = false
  return Object.assign(own, {
    submit(connection: Connection) {
      connection.stream.cork()
      try {
        connection.bind({ statement: setTenant.name, values: [String(organizationId)] }, true)
        connection.execute({}, true)
        submit.call(own, connection)
      } finally {
        connection.stream.uncork()
      }
    },
    // The first row and the first end are the setting's.
    handleDataRow(message: unknown) {
      if (isSet) handleDataRow.call(own, message)
    },
    handleCommandComplete(message: unknown, connection: Connection) {
      if (isSet) handleCommandComplete.call(own, message, connection)
      isSet = true
    },
  } satisfies Handlers & Pick<Query, 'submit'>)
}
