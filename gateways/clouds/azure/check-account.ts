import { CloudFault } from '../cloud-fault.ts'
import { permissionsIn, type Permission } from './allowed-actions.ts'
import type { AzureSession } from './azure-session.ts'

/** The subscription or management group, as the credentials see it. */
export async function accountOf(session: AzureSession, signal: AbortSignal | undefined) {
  const call = readAccount(session, signal)
  return ofOwnAccount(call, session, async () => permissionsOf(session, signal))
}

/** What the roles of the credentials in the account allow. */
export async function rolesOf(
  session: AzureSession,
  signal: AbortSignal | undefined,
): Promise<Permission[]> {
  const call = permissionsOf(session, signal)
  return ofOwnAccount(call, session, async () => readAccount(session, signal))
}

/**
 * To credentials without a role, Azure gives the same 403 for an account of another customer of the tenant and for
 * one that does not exist ("or the scope is invalid"). Credentials with a role may read either the account or
 * their own rights in it. Both refused means that nothing shows that the account is theirs.
 */
async function ofOwnAccount<T>(
  call: Promise<T>,
  { target }: AzureSession,
  other: () => Promise<unknown>,
): Promise<T> {
  try {
    return await call
  } catch (error) {
    if (!isDenied(error)) throw error
    try {
      await other()
    } catch (second) {
      throw isDenied(second) ? new CloudFault('credentials', noRole(target.accountId)) : second
    }
    throw error
  }
}

const isDenied = (error: unknown): boolean => error instanceof CloudFault && error.kind === 'denied'

const noRole = (accountId: string): string =>
  `The application has no role in ${accountId}, or Azure has no such account in the tenant; Azure gives one answer to both. Check accountId, then give the role that setup shows and validate again. A new role takes some minutes to hold.`

async function readAccount(session: AzureSession, signal: AbortSignal | undefined) {
  const { scope, target } = session
  return target.accountId.startsWith('managementGroups/')
    ? session.get(`${scope}?api-version=2020-05-01`, {
        action: 'Microsoft.Management/managementGroups/read',
        signal,
      })
    : session.get(`${scope}?api-version=2022-12-01`, {
        action: 'Microsoft.Resources/subscriptions/read',
        signal,
      })
}

/** Throws where the list is empty: no role in the account is the caller's. */
async function permissionsOf(
  session: AzureSession,
  signal: AbortSignal | undefined,
): Promise<Permission[]> {
  const action = 'Microsoft.Authorization/permissions/read'
  const path = `${session.scope}/providers/Microsoft.Authorization/permissions?api-version=2022-04-01`
  const permissions = permissionsIn(await session.get(path, { action, signal }))
  if (permissions.length > 0) return permissions
  throw new CloudFault('denied', `The credentials lack the right ${action}.`, [action])
}
