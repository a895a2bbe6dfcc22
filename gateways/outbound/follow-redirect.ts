import { unavailable } from '../../domain/errors.ts'
import { resolveTarget, type ResolveRules, targetOf } from './resolve-target.ts'
import type { Hop, HopAnswer } from './send-request.ts'

/** The request that an answer redirects to; undefined if it is no redirect. */
export async function followRedirect(
  hop: Hop,
  answer: HopAnswer,
  { rules, signal }: { rules: ResolveRules; signal: AbortSignal },
): Promise<Hop | undefined> {
  const location = answer.headers.location
  if (!redirects.has(answer.status) || location === undefined) return undefined
  const url = URL.parse(location, hop.url.href)
  if (!url) throw unavailable('bad_redirect', 'The host redirected to an address that is none')

  const keepsMethod = answer.status === 307 || answer.status === 308 || isSafe(hop.method)
  const next: Hop = keepsMethod
    ? { ...hop, url }
    : { ...hop, url, method: 'GET', body: undefined, headers: withoutBody(hop.headers) }
  if (url.origin === hop.url.origin) return next

  // A redirect to a stranger takes no credential along. APIs carry them in headers of any
  // name (`PRIVATE-TOKEN`, `X-Amz-Security-Token`), so the harmless ones are listed instead.
  if (next.body !== undefined) {
    // A private address is named as what it is: `address_not_allowed`, as without a body.
    await resolveTarget(targetOf(url, hop.use, rules), rules, { signal })
    throw unavailable('bad_redirect', 'The host redirected a request with a body to another host')
  }
  const headers = Object.entries(hop.headers).filter(([name]) => harmless.has(name))
  return { ...next, headers: Object.fromEntries(headers) }
}

const redirects = new Set([301, 302, 303, 307, 308])
const harmless = new Set(['accept', 'accept-language', 'user-agent', 'range'])
const isSafe = (method: string) => method === 'GET' || method === 'HEAD'

const withoutBody = (headers: Hop['headers']) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('content-')))
