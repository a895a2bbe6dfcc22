import type { FastifyRequest } from 'fastify'

/** A filter that came once is a list of one: a query has no lists, only repeated names. */
export async function repeatedFilters({ query, routeOptions }: FastifyRequest): Promise<void> {
  // Route schemas are TypeBox objects, whose properties say which parameters are lists.
  const { properties = {} } = (routeOptions.schema?.querystring ?? {}) as {
    properties?: Record<string, { type?: string }>
  }
  const values = query as Record<string, unknown>
  for (const [name, value] of Object.entries(values))
    if (typeof value === 'string' && properties[name]?.type === 'array') values[name] = [value]
}
