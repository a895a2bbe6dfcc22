import { Query, types, type Connection } from 'pg'

/** A statement with its values. PostgreSQL keeps its plan on each connection under the name. */
export type PreparedQuery<V = unknown> = { name: string; text: string; values: V[] }

/** Values that are sent as they are, without the driver's conversions. */
export type Scalar = string | number | boolean | Buffer | null
/** A value of a `KeptQuery`. */
export type Value = Scalar | readonly string[]

/** A statement that the connection already knows and whose result is not needed. */
export type Prefix = { name: string; values: string[] }

type Column = { name: string; parse: (text: string) => unknown }

/** The columns of each connection's statements: PostgreSQL refuses a kept statement whose columns changed. */
const described = new WeakMap<Connection, Map<string, Column[]>>()

/**
 * A frequent query. The driver has the columns described at each execution, which for a single row
 * costs about as much as the row; this keeps them with the statement. It extends the driver's own
 * class, because the driver's pipeline accepts no other.
 */
export class KeptQuery<R> extends Query {
  readonly found: R[] = []
  readonly #query: PreparedQuery<Value>
  readonly #prefix: Prefix | undefined
  /** While the prefix runs, answers belong to it and not to the query. */
  #isAhead: boolean
  #known: Map<string, Column[]> = new Map()
  #columns: Column[] | undefined

  constructor(
    query: PreparedQuery<Value>,
    prefix: Prefix | undefined,
    done: (error: Error | null | undefined) => void,
  ) {
    super(query, done)
    this.#query = query
    this.#prefix = prefix
    this.#isAhead = prefix !== undefined
  }

  // Declared by the driver's types as a property, not as the method that it is.
  override submit = (connection: Connection): unknown => {
    this.#known = described.get(connection) ?? new Map<string, Column[]>()
    described.set(connection, this.#known)
    const { name, values } = this.#query
    this.#columns = this.#known.get(name)
    connection.stream.cork()
    try {
      if (this.#prefix) {
        connection.bind({ statement: this.#prefix.name, values: this.#prefix.values }, true)
        connection.execute({}, true)
      }
      // The first time: parsed and described, as the driver does it.
      if (!this.#columns) return Query.prototype.submit.call(this, connection)
      connection.bind({ statement: name, values: values.map(inMessage) }, true)
      connection.execute({}, true)
      connection.sync()
      return null
    } finally {
      connection.stream.uncork()
    }
  }

  // What the driver calls as answers come in, which its types do not name.

  handleRowDescription({ fields }: { fields: Array<{ name: string; dataTypeID: number }> }): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({
      name,
      parse: types.getTypeParser(dataTypeID),
    }))
    this.#known.set(this.#query.name, this.#columns)
  }

  handleDataRow({ fields }: { fields: ReadonlyArray<string | null> }): void {
    if (this.#isAhead) return
    const row: Record<string, unknown> = {}
    for (const [place, { name, parse }] of (this.#columns ?? []).entries()) {
      const text = fields[place] ?? null
      row[name] = text === null ? null : parse(text)
    }
    // The rows are what the query names.
    this.found.push(row as R)
  }

  handleCommandComplete(): void {
    this.#isAhead = false
  }
}

function inMessage(value: Value): string | Buffer | null {
  if (value === null || Buffer.isBuffer(value)) return value
  return Array.isArray(value) ? arrayLiteral(value) : String(value)
}

/** PostgreSQL's text form of an array, as the driver writes it. */
const arrayLiteral = (items: readonly string[]): string =>
  `{${items.map((item) => `"${item.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`).join(',')}}`
