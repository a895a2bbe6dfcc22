import { CloudFault } from '../cloud-fault.ts'
import { permissionsIn, type Permission } from './allowed-actions.ts'
import { resourceManager } from './azure-http-client.ts'
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

/** Far more than roles of one identity need. */
const maxPages = 50

/**
 * All pages of the list: a role that was left out would count as taken away. Throws where it is empty: no role in the
 * account is the caller's.
 */
async function permissionsOf(
  session: AzureSession,
  signal: AbortSignal | undefined,
): Promise<Permission[]> {
  const action = 'Microsoft.Authorization/permissions/read'
  let path = `${session.scope}/providers/Microsoft.Authorization/permissions?api-version=2022-04-01`
  const seen = new Set<string>()
  const permissions: Permission[] = []
  for (;;) {
    seen.add(path)
    const answer = await session.get(path, { action, signal })
    permissions.push(...permissionsIn(answer))
    const next = nextPath(session, answer)
    if (next === undefined) break
    if (seen.has(next) || seen.size >= maxPages) throw new CloudFault('page_token', endless)
    path = next
  }
  if (permissions.length > 0) return permissions
  throw new CloudFault('denied', `The credentials lack the right ${action}.`, [action])
}

const endless = 'Azure repeats a page of the list of rights, so the list has no end.'

/**
 * Where the list goes on, at Resource Manager. A link to any other host is refused: the token of the account would
 * go there.
 */
function nextPath({ target }: AzureSession, answer: unknown): string | undefined {
  const link =
    typeof answer === 'object' && answer !== null && 'nextLink' in answer ? answer.nextLink : null
  if (link === null || link === undefined || link === '') return undefined
  const url = URL.parse(typeof link === 'string' ? link : '')
  const own = [resourceManager, target.endpoints.resources].flatMap((address) => {
    const known = address === undefined ? null : URL.parse(address)
    return known ? [known] : []
  })
  const at = own.find(
    ({ origin, pathname }) => origin === url?.origin && url.pathname.startsWith(pathname),
  )
  if (!url || !at) throw new CloudFault('unreachable', elsewhere)
  return `${url.pathname.slice(at.pathname.replace(/\/$/, '').length)}${url.search}`
}

const elsewhere =
  'Azure sent a list of rights that goes on at an address which is not its own. Check the endpoint.'
