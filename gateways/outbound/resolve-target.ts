import { lookup as systemLookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { PrivateHost, PrivateHostUse } from '../../config/outbound.ts'
import { AppError, unavailable } from '../../domain/errors.ts'
import { isPublicAddress } from './is-public-address.ts'

export type Address = { address: string; family: number }
export type Target = { host: string; port: number; use: PrivateHostUse }
export type ResolveRules = {
  privateHosts: readonly PrivateHost[]
  /** For tests; the system's resolver otherwise. */
  lookup?: (host: string) => Promise<Address[]>
}

/**
 * The addresses that this target may be connected to. The caller connects to one of them and never resolves
 * the name again: a second answer could differ from the checked one (DNS rebinding). One refused address
 * refuses the name, because any of them may be chosen.
 */
export async function resolveTarget(target: Target, rules: ResolveRules): Promise<Address[]> {
  const host = bareHost(target.host)
  const addresses = await addressesOf(host, rules)
  if (opensPrivateHost({ ...target, host }, rules.privateHosts)) return addresses
  if (!addresses.every(({ address }) => isPublicAddress(address))) throw addressRefused()
  return addresses
}

/** The target of a URL: https, or plain http to a private host that the operator opened. */
export function targetOf(
  url: URL,
  use: PrivateHostUse,
  { privateHosts }: ResolveRules,
): Target & { secure: boolean } {
  const secure = url.protocol === 'https:'
  const target = { host: url.hostname, port: Number(url.port || (secure ? 443 : 80)), use }
  if (!secure && !(url.protocol === 'http:' && opensPrivateHost(target, privateHosts)))
    throw addressRefused()
  // Credentials in a URL would end up in logs; they are sent as headers.
  if (url.username || url.password) throw addressRefused()
  return { ...target, secure }
}

/** Whether the operator opened this host and port for this use (`CC_PRIVATE_HOSTS`). */
export function opensPrivateHost(target: Target, privateHosts: readonly PrivateHost[]): boolean {
  const host = bareHost(target.host)
  return privateHosts.some(
    (entry) => entry.use === target.use && entry.host === host && entry.port === target.port,
  )
}

const addressRefused = () =>
  new AppError('invalid', 'This address is not allowed: it is private, local or reserved', {
    code: 'address_not_allowed',
  })

const lookUpAll = (host: string) => systemLookup(host, { all: true, verbatim: true })

async function addressesOf(host: string, rules: ResolveRules): Promise<Address[]> {
  const family = isIP(host)
  if (family !== 0) return [{ address: host, family }]
  let addresses: Address[]
  try {
    addresses = await (rules.lookup ?? lookUpAll)(host)
  } catch (error) {
    throw unavailable('host_not_found', 'The host name could not be resolved', error)
  }
  if (addresses.length === 0)
    throw unavailable('host_not_found', 'The host name could not be resolved')
  return addresses
}

/** Normalizes: `[::1]`, `LOCALHOST` and `localhost.` are `::1` and `localhost` in `CC_PRIVATE_HOSTS`. */
const bareHost = (host: string) =>
  host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
