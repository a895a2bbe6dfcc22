import type { Config } from '../../config.ts'

/** Whether people use https: then browsers are told to use nothing else. */
export const isHttps = ({ baseUrl }: Pick<Config, 'baseUrl'>): boolean =>
  baseUrl?.startsWith('https:') === true

/**
 * RFC 6797: for a year the browser uses https alone, so that an attacker on the network cannot answer
 * the first plain request. Without `includeSubDomains`: hosts below this one may belong to others,
 * and `__Host-` keeps their cookies out.
 */
export const strictTransport = 'max-age=31536000'

/**
 * On https a cookie's name begins with `__Host-`: a browser accepts it from this very host alone,
 * `Secure` and for every path. Otherwise an attacker with a page on a sibling host, or who answers a
 * plain request, could plant a cookie of their own session (cookie tossing, RFC 6265bis 4.1.3.2).
 */
export const cookieNameOf = (config: Pick<Config, 'baseUrl'>, name: string): string =>
  isHttps(config) ? `__Host-${name}` : name

/** The name of the session cookie. On https the plain name is not accepted. */
export const sessionCookieOf = (config: Pick<Config, 'baseUrl'>): string =>
  cookieNameOf(config, 'cc_session')
