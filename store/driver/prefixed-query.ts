import { Query, type Connection } from 'pg'

/** A statement with its values. PostgreSQL keeps its plan on each connection under the name. */
export type PreparedQuery<V = unknown> = { name: string; text: string; values: V[] }

/** Values that are sent as they are, without the driver's conversions. */
export type Scalar = string | number | boolean | Buffer | null
/** A value of a statement that is sent at once. */
export type Value = Scalar | readonly string[]

/** A statement that the connection already knows and whose result is not needed. */
export type Prefix = { name: string; values: string[] }

type Done = (error: Error | null | undefined, result?: { rows: unknown[] }) => void

/** What the driver calls as answers come in, which its types do not name. */
type AnsweredQuery = {
  handleDataRow(message: unknown): void
  handleCommandComplete(message: unknown, connection: Connection): void
}
const driver = Query.prototype as unknown as AnsweredQuery

/**
 * A query behind a prefix, in one message. It extends the driver's own class, because the driver's
 * pipeline accepts no other.
 */
export class PrefixedQuery extends Query {
  readonly #prefix: Prefix
  /** While the prefix runs, answers belong to it and not to the query. */
  #isAhead = true

  constructor(query: PreparedQuery<Value>, prefix: Prefix, done: Done) {
    super({ ...query, values: [...query.values] }, undefined, done)
    this.#prefix = prefix
  }

  // Declared by the driver's types as a property, not as the method that it is.
  override submit = (connection: Connection): unknown => {
    connection.stream.cork()
    try {
      connection.bind({ statement: this.#prefix.name, values: this.#prefix.values }, true)
      connection.execute({}, true)
      return Query.prototype.submit.call(this, connection)
    } finally {
      connection.stream.uncork()
    }
  }

  handleDataRow(message: unknown): void {
    if (!this.#isAhead) driver.handleDataRow.call(this, message)
  }

  handleCommandComplete(message: unknown, connection: Connection): void {
    if (this.#isAhead) this.#isAhead = false
    else driver.handleCommandComplete.call(this, message, connection)
  }
}
