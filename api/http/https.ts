import type { Config } from '../../config.ts'

/** Whether people reach the service by https: what a browser is then told holds for them all. */
export const isHttps = ({ baseUrl }: Pick<Config, 'baseUrl'>): boolean =>
  baseUrl?.startsWith('https:') === true

/**
 * RFC 6797: for a year a browser that was here once asks by https alone, so that nobody on its
 * way answers the first plain request. Without `includeSubDomains`: hosts below this one are
 * not ours to decide about, and `__Host-` keeps their cookies out.
 */
export const strictTransport = 'max-age=31536000'

/**
 * On https a cookie's name begins with `__Host-`: a browser takes it from this very host alone,
 * `Secure` and for every path. Without it a page of a sibling host, or somebody who answers a plain
 * request, plants a cookie of their own session (cookie tossing, RFC 6265bis 4.1.3.2).
 */
export const cookieNameOf = (config: Pick<Config, 'baseUrl'>, name: string): string =>
  isHttps(config) ? `__Host-${name}` : name

/** The name of the session cookie. On https the plain name is not accepted. */
export const sessionCookieOf = (config: Pick<Config, 'baseUrl'>): string =>
  cookieNameOf(config, 'cc_session')
