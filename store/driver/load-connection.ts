import { Client } from 'pg'
import type { Secret } from '../../config.ts'
import { connectionSettings } from './connect-lane.ts'

const connection = Symbol('connection')

/** One organization and a connection whose transaction sees it and no other. Opaque outside `store/`. */
export type LoadConnection = { readonly organizationId: number; readonly [connection]: Client }

/** For `store/` alone. */
export const unwrapLoad = (load: LoadConnection): Client => load[connection]

/**
 * Runs `work` in a transaction on a connection of its own, whose statements do not travel together: the
 * driver takes COPY from the client on no other. If this process dies, PostgreSQL rolls it back.
 */
export async function inLoad<T>(
  databaseUrl: Secret,
  organizationId: number,
  work: (load: LoadConnection) => Promise<T>,
): Promise<T> {
  const client = new Client({ ...connectionSettings(databaseUrl, 'cc_app'), pipeline: false })
  // Without a listener an error event would end the process. The pending query gets the error anyway.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('set role cc_app')
    await client.query('begin')
    await client.query(`select set_config('cc.organization_id', $1, true)`, [
      String(organizationId),
    ])
    const result = await work({ organizationId, [connection]: client })
    const { command } = await client.query('commit')
    if (command === 'ROLLBACK')
      throw new Error('The transaction was rolled back, since one of its statements failed.')
    return result
  } finally {
    // What is not committed ends with the connection.
    await client.end().catch(() => undefined)
  }
}
