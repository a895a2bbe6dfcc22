import { invalid } from '../../../domain/errors.ts'
import { isStatementTimeout } from '../../driver/connect.ts'
import { limitStatements } from '../../driver/limit-statements.ts'
import type { Tenant } from '../../driver/tenant.ts'

/** Where charges are read one by one, millions of them take long. */
const maxReadMs = 20_000

/** Reads cost of a window of days, for 20 s at most. Past that it throws 400 `window_too_large`. */
export async function withinWindow<T>(tenant: Tenant, read: () => Promise<T>): Promise<T> {
  await limitStatements(tenant, maxReadMs)
  try {
    return await read()
  } catch (error) {
    if (!isStatementTimeout(error)) throw error
    throw invalid(
      'There are too many charges in this window. Narrow it, or filter by account or service.',
      [{ path: 'from', message: 'makes a window with too many charges' }],
      'window_too_large',
    )
  }
}
