import { Client } from 'pg'
import { vi } from 'vitest'

/** What one request sent to PostgreSQL: its statements, and how often it waited for an answer. */
export type Sent = { statements: string[]; trips: number }

/** Of this process and not of the request: each new connection, and counts that processes share. */
const apart = /^set role|request_counts/

/**
 * Counts the statements of one request, whichever way they are sent. A trip begins with a statement
 * that is sent while no answer is outstanding; statements that travel together are one trip.
 */
export async function countStatements<T>(work: () => Promise<T>): Promise<{ answer: T } & Sent> {
  const sent: Sent = { statements: [], trips: 0 }
  let outstanding = 0
  // oxlint-disable-next-line typescript/unbound-method -- it is called with the connection that it was called on
  const send: (...args: never[]) => unknown = Client.prototype.query
  const spy = vi.spyOn(Client.prototype, 'query').mockImplementation(function (
    this: unknown,
    ...args: unknown[]
  ) {
    const sql = textOf(args[0])
    if (apart.test(sql)) return Reflect.apply(send, this, args)
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

/** A statement is text, or an object with its text. */
const textOf = (statement: unknown): string =>
  typeof statement === 'string' ? statement : String((statement as { text?: string }).text)

type Callback = (...told: unknown[]) => void

/** Calls `note` before the answer is handed on: by the query's callback, by the last argument, or by a promise. */
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
  // A query of the store's own (store/driver/kept-query.ts) has its callback with it.
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
