import { isIP } from 'node:net'
import type { PrivateHost, PrivateHostUse } from '../../config/outbound.ts'
import { AppError, unavailable } from '../../domain/errors.ts'
import { isPublicAddress } from './is-public-address.ts'
import { type Address, lookUpBySystem, lookUpName } from './look-up-name.ts'

export type Target = { host: string; port: number; use: PrivateHostUse }
export type ResolveRules = {
  privateHosts: readonly PrivateHost[]
  /** Name servers for all names that the operator did not open; those of /etc/resolv.conf otherwise. */
  nameServers?: readonly string[] | undefined
  /** For tests, in place of name servers. */
  lookup?: ((host: string) => Promise<Address[]>) | undefined
}
export type Asker = {
  /** Ends the look-up. */
  signal?: AbortSignal | undefined
  /** Waits until this asker may look a name up; the returned function is called at the end. */
  turn?: ((signal: AbortSignal) => Promise<() => void>) | undefined
}

/** A look-up ends after this time in any case. */
const mostMs = 10_000

/**
 * The addresses that this target may be connected to. The caller connects to one of them and never resolves
 * the name again: a second answer could differ from the checked one (DNS rebinding). One refused address
 * refuses the name, because any of them may be chosen.
 */
export async function resolveTarget(
  target: Target,
  rules: ResolveRules,
  asker: Asker = {},
): Promise<Address[]> {
  const host = bareHost(target.host)
  const isOpened = opensPrivateHost({ ...target, host }, rules.privateHosts)
  const addresses = await addressesOf({ host, isOpened }, rules, asker)
  if (isOpened) return addresses
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

async function addressesOf(
  { host, isOpened }: { host: string; isOpened: boolean },
  rules: ResolveRules,
  asker: Asker,
): Promise<Address[]> {
  const family = isIP(host)
  if (family !== 0) return [{ address: host, family }]
  const limit = AbortSignal.timeout(mostMs)
  const signal = asker.signal ? AbortSignal.any([asker.signal, limit]) : limit
  const { nameServers } = rules
  // The operator answers for the name servers of the names that the operator opened.
  const own = isOpened ? lookUpBySystem : async () => lookUpName(host, { signal, nameServers })
  let addresses: Address[]
  let endTurn: (() => void) | undefined
  try {
    endTurn = await asker.turn?.(signal)
    signal.throwIfAborted()
    addresses = await unlessAborted((rules.lookup ?? own)(host), signal)
  } catch (error) {
    if (asker.signal?.aborted)
      throw unavailable('timed_out', 'The host did not answer in time', error)
    throw notFound(error)
  } finally {
    endTurn?.()
  }
  if (addresses.length === 0) throw notFound()
  return addresses
}

const notFound = (cause?: unknown) =>
  unavailable('host_not_found', 'The host name could not be resolved', cause)

/** The caller stops waiting at once, also for what cannot be canceled (getaddrinfo). */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const giveUp = () => aborted.reject(new Error('aborted'))
  signal.addEventListener('abort', giveUp, { once: true })
  return Promise.race([work, aborted.promise]).finally(() =>
    signal.removeEventListener('abort', giveUp),
  )
}

/** Normalizes: `[::1]`, `LOCALHOST` and `localhost.` are `::1` and `localhost` in `CC_PRIVATE_HOSTS`. */
const bareHost = (host: string) =>
  host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
