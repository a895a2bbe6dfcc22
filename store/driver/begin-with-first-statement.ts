import type { Knex } from 'knex'
import type { Client } from 'pg'
import { sendTogether } from './send-together.ts'

/** What knex's own transactions have, which its types leave open. */
type Begun = { begin: (connection: Client) => Promise<unknown> }

/**
 * Sends BEGIN together with the first statement of a transaction; knex waits for BEGIN's answer
 * first. Saves a round trip per transaction. BEGIN does not fail on a working connection. On a
 * broken one the first statement fails too, and the transaction ends with its error.
 */
export function beginWithFirstStatement(pool: Knex): Knex {
  const { client } = pool
  const open: (...args: unknown[]) => Begun = client.transaction
  client.transaction = (...args: unknown[]) => {
    const transaction = Reflect.apply(open, client, args)
    const begin = transaction.begin.bind(transaction)
    transaction.begin = async (connection) => {
      sendTogether(connection)
      void begin(connection)
    }
    return transaction
  }
  return pool
}
