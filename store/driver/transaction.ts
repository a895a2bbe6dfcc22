import type { Knex } from 'knex'
import type { Client } from 'pg'
import type { Db } from './db.ts'
import { sendTogether } from './send-together.ts'

type Scope = {
  pool: Knex
  connection: Client
  isOpen: () => boolean
  end: { keep: string; undo: string }
}

const rollbackTimeoutMs = 5_000

/**
 * Runs `work` in a transaction of its own. It is used in place of knex's, which copies all query
 * methods into each transaction: 21 KB each (docs/driver.md). This one inherits them from the
 * pool. BEGIN is sent together with the first statement, which saves a round trip.
 */
export async function inTransaction<T>(pool: Knex, work: (db: Db) => Promise<T>): Promise<T> {
  const connection: Client = await pool.client.acquireConnection()
  try {
    return await settle(begin(pool, connection), work)
  } finally {
    await pool.client.releaseConnection(connection)
  }
}

/**
 * The same for `work` that only reads, in a transaction that refuses to write. What was read does not depend on the
 * end of the transaction, so that is not awaited, which saves a round trip. `onEnd` is told when the connection is back
 * in the pool, or when there was none.
 */
export async function inReading<T>(
  pool: Knex,
  work: (db: Db) => Promise<T>,
  onEnd: () => void,
): Promise<T> {
  const connection: Client = await acquire(pool, onEnd)
  const { db, close } = openDb(begin(pool, connection))
  try {
    return await work(db)
  } finally {
    close()
    const ended = rollBack(connection, 'rollback')
    void ended.then(async () => pool.client.releaseConnection(connection)).finally(onEnd)
  }
}

async function acquire(pool: Knex, onFailure: () => void): Promise<Client> {
  try {
    return await pool.client.acquireConnection()
  } catch (error) {
    onFailure()
    throw error
  }
}

function begin(pool: Knex, connection: Client): Scope {
  sendTogether(connection)
  // BEGIN does not fail on a working connection. On a broken one the first statement fails too,
  // and the transaction ends with its error.
  connection.query('begin').catch(() => undefined)
  return { pool, connection, isOpen: () => true, end: { keep: 'commit', undo: 'rollback' } }
}

async function settle<T>(scope: Scope, work: (db: Db) => Promise<T>): Promise<T> {
  const { connection, end } = scope
  const { db, close } = openDb(scope)
  let result: T
  try {
    result = await work(db)
  } catch (error) {
    close()
    await rollBack(connection, end.undo)
    throw error
  }
  close()
  const { command } = await connection.query(end.keep)
  // PostgreSQL's answer to COMMIT where a statement had failed and `work` ignored its error.
  if (command === 'ROLLBACK')
    throw new Error('The transaction was rolled back, since one of its statements failed.')
  return result
}

/** A knex object whose queries go to this connection until it is closed. */
function openDb(outer: Scope): { db: Db; close: () => void } {
  const { pool, connection } = outer
  let isClosed = false
  let lastSavepoint: Promise<unknown> = Promise.resolve()
  const isOpen = () => !isClosed && outer.isOpen()
  // A late query would otherwise run in the next transaction of this connection.
  const assertOpen = () => {
    if (!isOpen()) throw new Error('The transaction of this query has ended.')
  }
  const client = Object.assign(Object.create(pool.client), {
    transacting: true,
    async acquireConnection() {
      assertOpen()
      return connection
    },
    async releaseConnection() {},
    async query(...asked: unknown[]) {
      assertOpen()
      return Reflect.apply(pool.client.query, client, asked)
    },
  })
  // Savepoints of one transaction nest and cannot overlap, so each waits for the one before it.
  const transaction = async <T>(work: (db: Db) => Promise<T>): Promise<T> => {
    const ended = lastSavepoint.then(async () => {
      assertOpen()
      await connection.query('savepoint s')
      // Rolling back keeps the savepoint, which would hide an outer one of the same name.
      const end = {
        keep: 'release savepoint s',
        undo: 'rollback to savepoint s; release savepoint s',
      }
      return settle({ pool, connection, isOpen, end }, work)
    })
    lastSavepoint = ended.catch(() => undefined)
    return ended
  }
  const db = (...table: unknown[]) => client.queryBuilder().table(...table)
  // knex's methods find client and transaction in `context`, which its types leave open.
  const context = Object.create(Reflect.get(pool, 'context'))
  Object.assign(db, { context: Object.assign(context, { client, transaction }) })
  return {
    db: Object.setPrototypeOf(db, pool),
    close: () => {
      isClosed = true
    },
  }
}

/** Does not throw: where `work` failed first, its error is the one to report. */
async function rollBack(connection: Client, text: string): Promise<void> {
  // A connection that did not roll back must not return to the pool.
  const discard = () => connection.connection.stream.destroy()
  const timer = setTimeout(discard, rollbackTimeoutMs)
  try {
    await connection.query(text)
  } catch {
    discard()
  } finally {
    clearTimeout(timer)
  }
}
