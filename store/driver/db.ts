import type { Knex } from 'knex'

/** A transaction whose organization is set, or a savepoint of one. */
export type Db = Knex.Transaction
