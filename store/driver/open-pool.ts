import { Socket } from 'node:net'
import knex, { type Knex } from 'knex'
import { knexSnakeCaseMappers } from 'objection'
import type { Client } from 'pg'
import type { Secret } from '../../config.ts'
import type { Backend } from '../../gateways/sandbox/lower-backend.ts'
import { connectionSettings } from './connect-lane.ts'
import { prepareWrites } from './tenant-query.ts'

/** A pool of connections that log in and change to `role`; without one they stay the owner. */
// oxlint-disable-next-line max-params -- the last is of one pool alone
export function openPool(
  databaseUrl: Secret,
  role: string | undefined,
  size: number,
  onBackend?: (backend: Backend) => Promise<void>,
): Knex {
  return knex({
    client: 'pg',
    connection: connectionSettings(databaseUrl, role),
    pool: {
      min: 0,
      max: size,
      acquireTimeoutMillis: 10_000,
      propagateCreateError: true,
      ...(role && {
        afterCreate: (
          connection: Client,
          done: (error: Error | null, connection: Client) => void,
        ) => {
          void onBackend?.(backendOf(connection))
          connection.query(`set role ${role}; ${prepareWrites}`, (error: Error | null) =>
            done(error, connection),
          )
        },
      }),
    },
    ...knexSnakeCaseMappers(),
  })
}

/** Of a connection that is open. The driver's types leave out both numbers. */
function backendOf(connection: Client): Backend {
  const { processID: pid } = connection as Client & { processID: number }
  const { stream } = connection.connection
  return { pid, clientPort: stream instanceof Socket ? (stream.localPort ?? 0) : 0 }
}
