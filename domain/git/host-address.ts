import { invalid } from '../errors.ts'
import { publicHosts, type GitProvider } from './providers.ts'

/** `host` is what a claim and its marker name: `github.com`, `git.corp.example:8443`. */
export type HostAddress = { host: string; origin: string }

/** Other names of the public hosts: those of their APIs and of ssh over the https port. */
const aliases: Record<string, string> = {
  'www.github.com': 'github.com',
  'api.github.com': 'github.com',
  'ssh.github.com': 'github.com',
  'www.gitlab.com': 'gitlab.com',
  'altssh.gitlab.com': 'gitlab.com',
  'www.bitbucket.org': 'bitbucket.org',
  'api.bitbucket.org': 'bitbucket.org',
  'altssh.bitbucket.org': 'bitbucket.org',
}

/**
 * Normalizes a provider's host. Plain http only where `opensPlain` confirms that the operator opened
 * this destination: an attacker on the network could read the token.
 */
export function hostAddress(
  provider: GitProvider,
  input: string | undefined,
  opensPlain: (host: string, port: number) => boolean,
): HostAddress {
  const text = (input ?? publicHosts[provider]).trim()
  // `URL` repairs malformed addresses (`//host`, `%67ithub.com`); those are refused instead.
  const url = /^[/\\]|[\s\\%]/.test(text)
    ? null
    : URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`)
  if (!url || !isHostName(url.hostname) || url.port === '0')
    throw refused('is not the name of a host')
  if (url.username || url.password) throw refused('must not carry a user name or password')
  if ((url.pathname !== '/' && url.pathname !== '') || url.search || url.hash)
    throw refused('is a host alone, without a path')
  const name = url.hostname.toLowerCase().replace(/\.$/, '')
  const plain = url.protocol === 'http:'
  if (!plain && url.protocol !== 'https:') throw refused('must be https')
  if (plain && !opensPlain(name, Number(url.port || 80))) throw refused('must be https')
  const known = aliases[name] ?? name
  for (const [other, publicHost] of Object.entries(publicHosts))
    if (known === publicHost && other !== provider)
      throw refused(`belongs to ${other}, not to ${provider}`)
  const host = url.port ? `${known}:${url.port}` : known
  return { host, origin: `${url.protocol}//${host}` }
}

/** An IP literal, which `URL` has normalized, or labels as DNS takes them (RFC 1035 2.3.4). */
const isHostName = (name: string): boolean =>
  /^\[[0-9a-f:.]+\]$/.test(name) ||
  name
    .replace(/\.$/, '')
    .split('.')
    .every((label) => /^[a-z0-9_-]{1,63}$/.test(label) && !/^-|-$/.test(label))

const refused = (what: string) =>
  invalid(`host: ${what}.`, [{ path: 'host', message: what }], 'git_host_invalid')

/** Whether an address of a repository is on this host; ssh has a port of its own. */
export function isOnHost(hostname: string, host: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, '')
  return (aliases[name] ?? name) === host.replace(/:\d+$/, '')
}
