import type { Readable } from 'node:stream'
import type { Knex } from 'knex'
import { types, type Client } from 'pg'
import type { Secret } from '../../config.ts'
import { AppError, unavailable } from '../../domain/errors.ts'
import type { DatabaseLogins } from '../../gateways/keyring/database-logins.ts'
import type { Backend } from '../../gateways/sandbox/lower-backend.ts'
import { connectLane } from './connect-lane.ts'
import { inLoad, type LoadConnection } from './load-connection.ts'
import { openCopies } from './open-copies.ts'
import { openLanes } from './open-lanes.ts'
import { openPool } from './open-pool.ts'
import { askPrepared } from './ask-prepared.ts'
import { sendTogether } from './send-together.ts'
import { shareConnections, unshared, type Shares } from './share-connections.ts'
import type { PreparedQuery, Scalar, Value } from './kept-query.ts'
import { asTenant, type Tenant } from './tenant.ts'
import { keptRows, setTenant, tenantRows, writeRows } from './tenant-query.ts'
import { inReading, inTransaction } from './transaction.ts'

import type { Db } from './db.ts'

export type { Db } from './db.ts'

/** A pool that sees all organizations, for `store/platform/` alone. */
export type PlatformDb = Knex

export type Store = {
  /** Runs `work` in one transaction that can see this organization and no other. */
  tenant<T>(organizationId: number, work: (tenant: Tenant) => Promise<T>): Promise<T>
  /** The same for `work` that only reads: faster, and PostgreSQL refuses to write. */
  reading<T>(organizationId: number, work: (tenant: Tenant) => Promise<T>): Promise<T>
  /** One query that sees this organization alone, in one round trip: for frequent reads. */
  read<R>(organizationId: number, query: PreparedQuery<Value>): Promise<R[]>
  /** One writing statement that sees this organization alone, in one round trip. It is atomic. */
  write<R>(organizationId: number, query: PreparedQuery<Value>): Promise<R[]>
  /** Runs `work` in a transaction of this organization on a new connection, which can take COPY. */
  load<T>(organizationId: number, work: (load: LoadConnection) => Promise<T>): Promise<T>
  /** One query that sees all organizations, in one round trip: resolves a credential to its owner. */
  lookUp<R>(query: PreparedQuery<Scalar>): Promise<R[]>
  /** What a query finds that sees this organization alone, as CSV (open-copies.ts). */
  csv(organizationId: number, query: string): Promise<Readable>
  /** Sees all organizations: sign-in, relay, reconciler, platform administration. */
  platform: PlatformDb
  close(): Promise<void>
}

export type StoreOptions = {
  /** Whether organizations share the connections for transactions (share-connections.ts). */
  isShared?: boolean
  /** Is told of the server's process of each of those connections, and must not reject. */
  onBackend?: (backend: Backend) => Promise<void>
}

/**
 * Opens the two pools. Each connection logs in as a login without rights of its own and changes to a role that owns
 * nothing and cannot bypass row-level security.
 */
export function connectStore(
  logins: DatabaseLogins,
  poolSize: number,
  { isShared = false, onBackend }: StoreOptions = {},
): Store {
  const app = openPool(logins.cc_app.url, 'cc_app', poolSize, onBackend)
  const platform = openPool(
    logins.cc_platform.url,
    'cc_platform',
    Math.max(2, Math.ceil(poolSize / 2)),
  )
  const tenantLanes = openLanes(async () => connectLane(logins.cc_app.url, 'cc_app'), laneCount)
  const copies = openCopies(logins.cc_app.url, 'cc_app')
  const platformLanes = openLanes(
    async () => connectLane(logins.cc_platform.url, 'cc_platform'),
    laneCount,
  )

  return {
    ...transactionsOn(app, isShared ? shareConnections(poolSize) : unshared),
    async read<R>(organizationId: number, query: PreparedQuery<Value>) {
      try {
        return await tenantLanes.ask(async (connection) =>
          tenantRows<R>(connection, organizationId, query),
        )
      } catch (error) {
        throw toFault(error)
      }
    },
    async load(organizationId, work) {
      try {
        return await inLoad(logins.cc_app.url, organizationId, work)
      } catch (error) {
        throw toFault(error)
      }
    },
    async lookUp<R>(query: PreparedQuery<Scalar>) {
      try {
        return await platformLanes.ask(async (connection) => keptRows<R>(connection, query))
      } catch (error) {
        throw toFault(error)
      }
    },
    async csv(organizationId, query) {
      try {
        return await copies.csv(organizationId, query)
      } catch (error) {
        throw toFault(error)
      }
    },
    platform,
    async close() {
      copies.close()
      const open = [app.destroy(), platform.destroy(), tenantLanes.close(), platformLanes.close()]
      await Promise.all(open)
    },
  }
}

/** Transactions of organizations on a pool whose connections they share. */
function transactionsOn(pool: Knex, shares: Shares): Pick<Store, 'tenant' | 'reading' | 'write'> {
  return {
    async tenant(organizationId, work) {
      const share = await shares.take(organizationId)
      try {
        return await share.run(async () =>
          inTransaction(pool, async (db) => withTenant(db, { organizationId, work })),
        )
      } catch (error) {
        throw toFault(error)
      } finally {
        share.giveBack()
      }
    },
    async reading(organizationId, work) {
      const share = await shares.take(organizationId)
      try {
        return await share.run(async () =>
          inReading(
            pool,
            async (db) => withTenant(db, { organizationId, work, set: setTenant }),
            () => share.giveBack(),
          ),
        )
      } catch (error) {
        throw toFault(error)
      }
    },
    async write<R>(organizationId: number, query: PreparedQuery<Value>) {
      const share = await shares.takeForStatement(organizationId)
      try {
        return await writeInOneTrip<R>(pool, organizationId, query)
      } catch (error) {
        throw toFault(error)
      } finally {
        share.giveBack()
      }
    },
  }
}

type Work<T> = {
  organizationId: number
  work: (tenant: Tenant) => Promise<T>
  set?: typeof setTenant
}

async function withTenant<T>(
  db: Db,
  { organizationId, work, set = setWritingTenant }: Work<T>,
): Promise<T> {
  // Not awaited: it is sent ahead of the first statement. If it failed, no later statement would see
  // any organization.
  const done = askPrepared(db, { ...set, values: [String(organizationId)] })
  const [result] = await Promise.all([work(asTenant(db, organizationId)), done])
  return result
}

const setWritingTenant = {
  name: 'begin-tenant',
  text: `select set_config('cc.organization_id', $1, true)`,
}

/** Uses a connection of its own: a write may wait for a lock, and other queries must not wait behind it. */
async function writeInOneTrip<R>(
  pool: Knex,
  organizationId: number,
  query: PreparedQuery<Value>,
): Promise<R[]> {
  // knex's way to the driver's own connection, which its types leave open.
  const connection: Client = await pool.client.acquireConnection()
  try {
    sendTogether(connection)
    return await writeRows<R>(connection, organizationId, query)
  } finally {
    await pool.client.releaseConnection(connection)
  }
}

/** The owner's connection, for migrations and for creating the other logins. */
export function connectOwner(databaseUrl: Secret): Knex {
  return openPool(databaseUrl, undefined, 2)
}

/** Several, so that a slow statement delays the queries of one lane only. */
const laneCount = 4

// Identifiers are far below 2^53; the driver would hand them out as strings.
types.setTypeParser(types.builtins.INT8, Number)
// Days stay text (YYYY-MM-DD): a Date would shift them by the host's time zone.
types.setTypeParser(types.builtins.DATE, (text) => text)

const connectionFaults = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'])

/** Translates the driver's errors into faults, here and nowhere else. An unknown error stays as it is: a 500. */
export function toFault(error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error
  // The driver puts SQLSTATE or the socket's code into `code`.
  const { code = '', syscall } = error as Error & { code?: string; syscall?: string }
  const lost =
    connectionFaults.has(code) ||
    // The socket of the database is missing. ENOENT of any other call means something else.
    (code === 'ENOENT' && syscall === 'connect') ||
    /^(08|57P0)/.test(code) ||
    code === '53300' ||
    error.name === 'KnexTimeoutError' ||
    /Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed/i.test(
      error.message,
    )
  return lost
    ? unavailable(
        'database_unavailable',
        'The database cannot be reached. Try again in a moment.',
        error,
      )
    : error
}

/** Whether a statement waited for a lock for longer than it may: see `limitLockWaits`. */
export const isLockTimeout = (error: unknown): boolean =>
  error instanceof Error && sqlStateOf(error) === '55P03'

/** Whether a statement ran for longer than it may: see `limitStatements`. */
export const isStatementTimeout = (error: unknown): boolean =>
  error instanceof Error && sqlStateOf(error) === '57014'

/** Objection wraps the driver's error. */
function sqlStateOf(error: Error): string | undefined {
  const { code, nativeError } = error as Error & { code?: string; nativeError?: unknown }
  return nativeError instanceof Error ? sqlStateOf(nativeError) : code
}

/** Whether the error is a unique violation, of this constraint or index if one is named. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (!(error instanceof Error)) return false
  // The driver puts SQLSTATE and the constraint's name on its errors.
  const {
    code,
    constraint: name,
    nativeError,
  } = error as Error & {
    code?: string
    constraint?: string
    nativeError?: unknown
  }
  if (nativeError) return isUniqueViolation(nativeError, constraint)
  return code === '23505' && (constraint === undefined || name === constraint)
}
