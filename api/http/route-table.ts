import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify'
import type { Access } from './access.ts'

export type TableRoute = {
  method: string
  /** With `:name` for each parameter. */
  url: string
  access: Access
  sessionOnly: boolean
  changesCredential: boolean
  hasBody: boolean
  schema: FastifySchema | undefined
  isCompressed: boolean
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Every route, so that tests can enumerate them. */
    routeTable(): TableRoute[]
    /** The methods of an address; empty if no route matches, or hidden ones alone. */
    methodsOf(path: string): string[]
  }
}

/** Collects the routes while they are registered. Must be called before the first of them. */
export function registerRouteTable(app: FastifyInstance): void {
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => void routes.push(route))
  const table = () =>
    routes.flatMap(({ method, url, config, schema }) =>
      [method]
        .flat()
        .filter((one) => one !== 'HEAD' && one !== 'OPTIONS')
        .map((one) => ({
          method: one,
          url,
          // The server does not start with a route that declares nothing; /docs declares itself when it is registered.
          access: config?.access ?? 'public',
          sessionOnly: config?.sessionOnly ?? false,
          changesCredential: config?.changesCredential ?? false,
          hasBody: schema?.body !== undefined,
          schema,
          isCompressed: config?.compressed ?? false,
        })),
    )
  app.decorate('routeTable', table)
  app.decorate('methodsOf', (path: string) => [
    ...new Set(
      table()
        // A wrong method must not reveal that an address of platform administration exists.
        .filter(({ access, url }) => access !== 'platform' && matches(url, path))
        .map(({ method }) => method),
    ),
  ])
}

function matches(url: string, path: string): boolean {
  const [wanted, given] = [url.split('/'), path.split('/')]
  return (
    wanted.length === given.length &&
    wanted.every((part, place) =>
      part.startsWith(':') ? given[place] !== '' : part === given[place],
    )
  )
}
