import { Client } from 'pg'
import type { Secret } from '../config.ts'
import { prepareTenantQueries } from './tenant-query.ts'

/** What every connection is opened with; no role is the owner. */
export const connectionSettings = (databaseUrl: Secret, role: string | undefined) => ({
  connectionString: databaseUrl.reveal(),
  application_name: role ?? 'cc_owner',
  // A dead server must be noticed by the next statement, not by the kernel's keep-alive two hours on.
  keepAlive: true,
  connectionTimeoutMillis: 5_000,
  // Statements that are known together travel together.
  ...(role && { pipeline: true }),
})

/** A connection of `openLanes`, as a role that cannot step over row-level security. */
export async function connectLane(databaseUrl: Secret, role: string): Promise<Client> {
  const connection = new Client({
    ...connectionSettings(databaseUrl, role),
    // A server that hangs must not hang whoever asks it; the connection is given up with all that wait on it.
    query_timeout: 10_000,
  })
  // Until somebody listens an error would end the process. Whoever waits is told of it anyway.
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
