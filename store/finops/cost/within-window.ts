import { invalid, unavailable, type AppError } from '../../../domain/errors.ts'
import { isStatementTimeout } from '../../driver/connect.ts'
import { limitStatements } from '../../driver/limit-statements.ts'
import type { Tenant } from '../../driver/tenant.ts'

/** Where charges are read one by one, millions of them take long. */
const maxReadMs = 20_000

/** Reads cost of a window of days, for 20 s at most. Past that it throws 400 `window_too_large`. */
export async function withinWindow<T>(tenant: Tenant, read: () => Promise<T>): Promise<T> {
  const faultOf = () =>
    invalid(
      'There are too many charges in this window. Narrow it, or filter by account or service.',
      [{ path: 'from', message: 'makes a window with too many charges' }],
      'window_too_large',
    )
  return withinTime(tenant, read, { faultOf })
}

/**
 * The same of a list, which need not have a window: 400 `search_too_broad`. `isLast`: no statement follows in the
 * transaction.
 */
export async function withinSearch<T>(
  tenant: Tenant,
  read: () => Promise<T>,
  { isLast = false }: { isLast?: boolean } = {},
): Promise<T> {
  const faultOf = () =>
    invalid(
      'The search took too long. Narrow it, by a service, a state or a time.',
      undefined,
      'search_too_broad',
    )
  return withinTime(tenant, read, { faultOf, isLast })
}

/** The same of the current month, which no caller can narrow: 503. */
export async function withinMonth<T>(tenant: Tenant, read: () => Promise<T>): Promise<T> {
  const faultOf = (cause: Error) =>
    unavailable(
      'database_unavailable',
      'The cost of this month takes too long to read. Try again in a moment.',
      cause,
    )
  return withinTime(tenant, read, { faultOf })
}

async function withinTime<T>(
  tenant: Tenant,
  read: () => Promise<T>,
  { faultOf, isLast = false }: { faultOf: (cause: Error) => AppError; isLast?: boolean },
): Promise<T> {
  await limitStatements(tenant, maxReadMs)
  try {
    const found = await read()
    // What follows in the transaction has no fault of its own for an ended statement.
    if (!isLast) await limitStatements(tenant, 0)
    return found
  } catch (error) {
    if (!(error instanceof Error && isStatementTimeout(error))) throw error
    throw faultOf(error)
  }
}
