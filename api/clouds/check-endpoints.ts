import type { PrivateHostUse } from '../../config/outbound.ts'
import { refuseField } from '../../domain/clouds/refuse-field.ts'
import { AppError, invalid } from '../../domain/errors.ts'
import type { Outbound } from '../../gateways/outbound/outbound.ts'
import { opensPrivateHost } from '../../gateways/outbound/resolve-target.ts'

type Sent = {
  endpoint?: string | null | undefined
  endpoints?: Record<string, string | undefined> | undefined
  billing?: { endpoint?: string | undefined } | null | undefined
}

/**
 * Refuses endpoints on a private address, so that a person who may connect accounts cannot make this
 * service call its neighbours. Each call checks its address again: a name may change its answer.
 */
export async function checkEndpoints(asking: Asking, sent: Sent): Promise<void> {
  const named = Object.entries(sent.endpoints ?? {})
  await Promise.all([
    check(asking, { path: 'endpoint', url: sent.endpoint, use: 'cloud' }),
    check(asking, { path: 'billing.endpoint', url: sent.billing?.endpoint, use: 'billing' }),
    ...named.map(async ([name, url]) =>
      check(asking, { path: `endpoints.${name}`, url, use: useOf(name) }),
    ),
  ])
}

const useOf = (name: string): PrivateHostUse =>
  name === 'storage' || name === 'warehouse' ? 'billing' : 'cloud'

type Asking = { outbound: Outbound; organizationId: number }
type Asked = { path: string; url: string | null | undefined; use: PrivateHostUse }

async function check(
  { outbound, organizationId }: Asking,
  { path, url: text, use }: Asked,
): Promise<void> {
  if (text === undefined || text === null) return
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) throw refuseField(path, 'is not an https address')
  if (url.username || url.password || url.search || url.hash)
    throw refuseField(path, 'is an address without a password, a query and a fragment')
  const host = url.hostname
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  if (opensPrivateHost({ host, port, use }, outbound.rules.privateHosts)) return
  try {
    await outbound.resolvePublic({ host, port, use }, { organizationId })
  } catch (error) {
    // A name that has no address now may have one later: the account is `unreachable` until then.
    if (!(error instanceof AppError)) throw error
    if (error.code === 'address_not_allowed') throw notAllowed(path)
  }
  if (url.protocol !== 'https:') throw refuseField(path, 'is not an https address')
}

function notAllowed(path: string): AppError {
  const message =
    'is private, local or reserved, which CC_PRIVATE_HOSTS of this installation does not open'
  return invalid(`${path}: ${message}.`, [{ path, message }], 'address_not_allowed')
}
