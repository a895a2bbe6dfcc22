import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import type { TableRoute } from '../../../api/http/route-table.ts'

/** In a table of integers: an id that no sequence of a test comes to. */
export const neverExisted = '2147483647'

export const paramsOf = ({ url }: Pick<TableRoute, 'url'>): string[] =>
  [...url.matchAll(/:(\w+)/g)].map(([, name = '']) => name)

/** The route's address with these parameters; what has none gets the id that never existed. */
export const addressOf = ({ url }: TableRoute, params: Record<string, string> = {}): string =>
  url.replace(/:(\w+)/g, (_, name: string) => params[name] ?? neverExisted).replace('*', 'x')

export type Call = {
  address?: string
  headers?: Record<string, string>
  /** Left out for methods that carry none. */
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

/** Session cookie and the origin that a browser would send with it. */
export const cookieOf = (cookie: string, origin = ''): Record<string, string> => ({
  cookie: `cc_session=${cookie}`,
  origin,
})

export const bearerOf = (token: string): Record<string, string> => ({
  authorization: `Bearer ${token}`,
})
