import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import type { TableRoute } from '../../../api/http/route-table.ts'

/** Fits an integer column, and no test's sequence reaches it. */
export const neverExisted = '2147483647'

export const paramsOf = ({ url }: Pick<TableRoute, 'url'>): string[] =>
  [...url.matchAll(/:(\w+)/g)].map(([, name = '']) => name)

/** The route's address with these parameters. A missing parameter gets an id that never existed. */
export const addressOf = ({ url }: TableRoute, params: Record<string, string> = {}): string =>
  url.replace(/:(\w+)/g, (_, name: string) => params[name] ?? neverExisted).replace('*', 'x')

export type Call = {
  address?: string
  headers?: Record<string, string>
  /** Left out for methods without a body. */
  body?: unknown
}

export async function callRoute(
  app: FastifyInstance,
  route: TableRoute,
  { address = addressOf(route), headers = {}, body }: Call,
): Promise<LightMyRequestResponse> {
  const withBody = body !== undefined && route.method !== 'GET'
  return app.inject({
    method: route.method,
    url: address,
    headers: { ...headers, ...(withBody && { 'content-type': 'application/json' }) },
    ...(withBody && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
}

/** The headers of a browser: the session cookie and the origin. */
export const cookieOf = (cookie: string, origin = ''): Record<string, string> => ({
  cookie: `cc_session=${cookie}`,
  origin,
})

export const bearerOf = (token: string): Record<string, string> => ({
  authorization: `Bearer ${token}`,
})
