import type { FastifyInstance, RouteOptions } from 'fastify'
import type { Access } from './access.ts'

export type TableRoute = {
  method: string
  /** With `:name` for each parameter. */
  url: string
  access: Access
  sessionOnly: boolean
  hasBody: boolean
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Every route there is, so that access can be tested by enumeration and not by memory. */
    routeTable(): TableRoute[]
  }
}

/** Collects the routes as they are registered; before the first of them. */
export function registerRouteTable(app: FastifyInstance): void {
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => void routes.push(route))
  app.decorate('routeTable', () =>
    routes.flatMap(({ method, url, config, schema }) =>
      [method]
        .flat()
        .filter((one) => one !== 'HEAD' && one !== 'OPTIONS')
        .map((one) => ({
          method: one,
          url,
          // Without a declaration the server does not start; /docs declares itself as it is registered.
          access: config?.access ?? 'public',
          sessionOnly: config?.sessionOnly ?? false,
          hasBody: schema?.body !== undefined,
        })),
    ),
  )
}
