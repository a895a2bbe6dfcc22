import { Client } from 'pg'
import { vi } from 'vitest'

/** The statements that one request sent to PostgreSQL, and its number of round trips. */
export type Sent = { statements: string[]; trips: number }

/**
 * Statements that do not belong to the request: the set-up of a new connection, and rate limit
 * counts, which requests share.
 */
const apart = /^set role|request_counts/

/**
 * Counts the statements that `work` sends through pg, and its round trips. A round trip starts with
 * a statement that is sent while no answer is outstanding; pipelined statements share one. With `by`,
 * only those of connections with this application name count, and none that matches `except`.
 */
export async function countStatements<T>(
  work: () => Promise<T>,
  { by, except }: { by?: string; except?: RegExp } = {},
): Promise<{ answer: T } & Sent> {
  const sent: Sent = { statements: [], trips: 0 }
  let outstanding = 0
  // oxlint-disable-next-line typescript/unbound-method -- it is called with the connection that it was called on
  const send: (...args: never[]) => unknown = Client.prototype.query
  const spy = vi.spyOn(Client.prototype, 'query').mockImplementation(function (
    this: unknown,
    ...args: unknown[]
  ) {
    const sql = textOf(args[0])
    if (apart.test(sql) || except?.test(sql) || (by !== undefined && nameOf(this) !== by))
      return Reflect.apply(send, this, args)
    sent.statements.push(sql)
    if (outstanding === 0) sent.trips += 1
    outstanding += 1
    return whenAnswered(send, { connection: this, args }, () => (outstanding -= 1))
  })
  try {
    return { answer: await work(), ...sent }
  } finally {
    spy.mockRestore()
  }
}

/** A connection has its settings, which the driver's types do not name. */
const nameOf = (connection: unknown): string | undefined =>
  (connection as { connectionParameters?: { application_name?: string } }).connectionParameters
    ?.application_name

/** pg takes a statement as text, or as an object with the text. */
const textOf = (statement: unknown): string =>
  typeof statement === 'string' ? statement : String((statement as { text?: string }).text)

type Callback = (...told: unknown[]) => void

/**
 * Calls `note` before the caller gets the answer, by the query's callback, the last argument's or
 * the promise.
 */
function whenAnswered(
  send: (...args: never[]) => unknown,
  { connection, args }: { connection: unknown; args: unknown[] },
  note: () => void,
): unknown {
  const noting =
    (callback: Callback): Callback =>
    (...told) => {
      note()
      callback(...told)
    }
  const [statement] = args
  // The store's own query (store/driver/kept-query.ts) carries its callback.
  const { callback } = statement as { callback?: Callback }
  const last = args.at(-1)
  if (typeof callback === 'function')
    Object.assign(statement as object, { callback: noting(callback) })
  else if (typeof last === 'function')
    return Reflect.apply(send, connection, [...args.slice(0, -1), noting(last as Callback)])
  const asked = Reflect.apply(send, connection, args)
  if (asked instanceof Promise) void asked.then(note, note)
  return asked
}
