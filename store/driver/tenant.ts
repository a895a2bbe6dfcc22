import type { Db } from './db.ts'

const transaction = Symbol('transaction')

/**
 * One organization and the transaction that sees it and no other. Repositories are made of it, so
 * no query can forget whose rows it may see. Outside `store/` it is opaque: SQL there does not compile.
 */
export type Tenant = { readonly organizationId: number; readonly [transaction]: Db }

/** For `store/`, and for the use cases of a platform administrator that judge-modules.ts names. */
export const asTenant = (db: Db, organizationId: number): Tenant => ({
  organizationId,
  [transaction]: db,
})

/** For `store/` alone. */
export const unwrap = (tenant: Tenant): { db: Db; organizationId: number } => ({
  db: tenant[transaction],
  organizationId: tenant.organizationId,
})
