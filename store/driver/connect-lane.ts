import { Client } from 'pg'
import type { Secret } from '../../config.ts'
import { prepareTenantQueries } from './tenant-query.ts'

/** The settings of every connection; without a role it stays the owner. */
export const connectionSettings = (databaseUrl: Secret, role: string | undefined) => ({
  connectionString: databaseUrl.reveal(),
  application_name: role ?? 'cc_owner',
  // A dead server must be noticed by the next statement, not by the kernel's keep-alive two hours on.
  keepAlive: true,
  connectionTimeoutMillis: 5_000,
  // Statements that are known together travel together.
  ...(role && { pipeline: true }),
})

/** Opens a connection for `openLanes`, in a role that cannot bypass row-level security. */
export async function connectLane(databaseUrl: Secret, role: string): Promise<Client> {
  const connection = new Client({
    ...connectionSettings(databaseUrl, role),
    // A hanging server must not block the callers: the connection is closed, and all queries on it fail.
    query_timeout: 10_000,
  })
  // Without a listener an error event would end the process. The pending queries get the error anyway.
  connection.on('error', () => undefined)
  try {
    await connection.connect()
    await connection.query(`set role ${role}`)
    await prepareTenantQueries(connection)
    return connection
  } catch (error) {
    void connection.end().catch(() => undefined)
    throw error
  }
}
