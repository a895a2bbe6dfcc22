import { invalid, unavailable, type AppError } from '../../../domain/errors.ts'
import { isStatementTimeout } from '../../driver/connect.ts'
import { limitStatements } from '../../driver/limit-statements.ts'
import type { Tenant } from '../../driver/tenant.ts'

/** Where charges are read one by one, millions of them take long. */
const maxReadMs = 20_000

/** Reads cost of a window of days, for 20 s at most. Past that it throws 400 `window_too_large`. */
export async function withinWindow<T>(tenant: Tenant, read: () => Promise<T>): Promise<T> {
  return withinTime(tenant, read, () =>
    invalid(
      'There are too many charges in this window. Narrow it, or filter by account or service.',
      [{ path: 'from', message: 'makes a window with too many charges' }],
      'window_too_large',
    ),
  )
}

/** The same of a list, which need not have a window: 400 `search_too_broad`. */
export async function withinSearch<T>(tenant: Tenant, read: () => Promise<T>): Promise<T> {
  return withinTime(tenant, read, () =>
    invalid(
      'The search took too long. Narrow it, by a service, a state or a time.',
      undefined,
      'search_too_broad',
    ),
  )
}

/** The same of the current month, which no caller can narrow: 503. */
export async function withinMonth<T>(tenant: Tenant, read: () => Promise<T>): Promise<T> {
  return withinTime(tenant, read, (cause) =>
    unavailable(
      'database_unavailable',
      'The cost of this month takes too long to read. Try again in a moment.',
      cause,
    ),
  )
}

async function withinTime<T>(
  tenant: Tenant,
  read: () => Promise<T>,
  faultOf: (cause: Error) => AppError,
): Promise<T> {
  await limitStatements(tenant, maxReadMs)
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof Error && isStatementTimeout(error))) throw error
    throw faultOf(error)
  }
}
