import { scimBasePath } from '../../domain/scim/scim-address.ts'

/**
 * Connectors send `/Users/` and, after a base that they were given with a slash at its end, `//Users`. Drops one slash
 * of each, below the SCIM base alone. Before routing, so that the route's own access check follows.
 */
export function withoutExtraSlashes(url: string): string {
  if (!url.startsWith(`${scimBasePath}/`)) return url
  const query = url.indexOf('?')
  const end = query < 0 ? url.length : query
  const path = url.slice(scimBasePath.length, end)
  const from = path.startsWith('//') ? 1 : 0
  const to = path.length - from > 1 && path.endsWith('/') ? -1 : path.length
  return `${scimBasePath}${path.slice(from, to)}${url.slice(end)}`
}
