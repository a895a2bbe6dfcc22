import { lookup, Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'

export type Address = { address: string; family: number }
export type LookUp = {
  /** Ends the look-up and its queries. */
  signal: AbortSignal
  /** Name servers, `address` or `address:port`; if there are none, the system's. */
  nameServers?: readonly string[] | undefined
  /** For tests; the system's otherwise. */
  hostsFile?: string | undefined
  /** For tests: whether this host has a global IPv6 address. */
  hasGlobalV6?: boolean | undefined
}

const timeoutMs = 2_000
const tries = 2
/** How long the other family is awaited once one that this host can use has addresses. */
const otherFamilyMs = 300

/**
 * The addresses of a name that somebody else chose: from /etc/hosts, else from name servers. They are asked by
 * c-ares, over sockets of its own. getaddrinfo occupies one of the two threads that libuv has for look-ups and
 * cannot be canceled: two names whose name server never answers would stop all look-ups of this process, of
 * other tenants and of the database too (denial of service). The name is absolute: no search domain is added.
 */
export async function lookUpName(host: string, options: LookUp): Promise<Address[]> {
  const numeric = numericAddress(host)
  if (numeric) return [numeric]
  const pinned = await addressesInHosts(host, options.hostsFile)
  if (pinned.length > 0) return pinned
  // RFC 6761 6.3: names of the loopback interface are never asked of a name server.
  if (host === 'localhost' || host.endsWith('.localhost')) return loopback
  options.signal.throwIfAborted()
  return askNameServers(host, options)
}

const loopback: Address[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

const underWay = new Map<string, Promise<Address[]>>()

/**
 * The addresses of a name that the operator opened, as every other program of this host finds them (search
 * domains, mDNS, NSS). A caller that finds the name being looked up waits for the same answer: a name without an
 * answer occupies one thread, however many ask for it.
 */
export function lookUpBySystem(host: string): Promise<Address[]> {
  const asked = underWay.get(host)
  if (asked) return asked
  const asking = lookup(host, { all: true, verbatim: true }).finally(() => underWay.delete(host))
  underWay.set(host, asking)
  return asking
}

/**
 * Asks for both families. One is enough where this host can use it: some name servers never answer a question for the
 * other, and waiting for that would use up the time of the request. IPv6 alone is not enough for a host without a
 * global IPv6 address, whose IPv4 answer may be late or lost.
 */
async function askNameServers(
  host: string,
  { signal, nameServers = [], hasGlobalV6 = hostHasGlobalV6() }: LookUp,
): Promise<Address[]> {
  // One resolver a look-up, because `cancel` ends all queries of a resolver.
  const resolver = new Resolver({ timeout: timeoutMs, tries })
  if (nameServers.length > 0) resolver.setServers([...nameServers])
  const cancel = () => resolver.cancel()
  signal.addEventListener('abort', cancel, { once: true })
  try {
    const families = [resolver.resolve4(host), resolver.resolve6(host)] as const
    const both = Promise.allSettled(families)
    const enough = waitAfterFirst(hasGlobalV6 ? families : [families[0]], signal)
    await Promise.race([both, enough.catch(async () => both)])
    cancel()
    const [v4, v6] = await both
    signal.throwIfAborted()
    if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason
    const inV4 = v4.status === 'fulfilled' ? v4.value : []
    const inV6 = v6.status === 'fulfilled' ? v6.value : []
    const ofV4 = inV4.map((address) => ({ address, family: 4 }))
    const ofV6 = inV6.map((address) => ({ address, family: 6 }))
    // As RFC 6724 sorts: without a global IPv6 address of this host, IPv6 leads nowhere.
    return hasGlobalV6 ? [...ofV6, ...ofV4] : [...ofV4, ...ofV6]
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

/** Ends `otherFamilyMs` after one of these families has addresses. Throws if none has any, or with the signal. */
async function waitAfterFirst(
  families: ReadonlyArray<Promise<string[]>>,
  signal: AbortSignal,
): Promise<void> {
  await Promise.any(families)
  await sleep(otherFamilyMs, undefined, { signal, ref: false })
}

function hostHasGlobalV6(): boolean {
  const entries = Object.values(networkInterfaces()).flatMap((all) => all ?? [])
  return entries.some(
    // 2000::/3 is global unicast.
    ({ family, address }) => family === 'IPv6' && /^[23][0-9a-f]{3}:/.test(address),
  )
}

/** `127.1`, `0x7f.1` and `2130706433` are addresses to getaddrinfo and to URLs, and names to c-ares. */
function numericAddress(host: string): Address | undefined {
  if (!/^(?:0x[0-9a-f]*|\d+)(?:\.(?:0x[0-9a-f]*|\d+))*$/.test(host)) return undefined
  const address = URL.parse(`http://${host}/`)?.hostname ?? ''
  const family = isIP(address)
  return family === 0 ? undefined : { address, family }
}

/** All addresses that the file has for this name. It is read each time, as getaddrinfo does. */
async function addressesInHosts(name: string, file = '/etc/hosts'): Promise<Address[]> {
  // Without the file there are only name servers.
  const text = await readFile(file, 'utf8').catch(() => '')
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    const family = isIP(address)
    const isNamed = family !== 0 && names.some((one) => one.toLowerCase() === name)
    return isNamed ? [{ address, family }] : []
  })
}
