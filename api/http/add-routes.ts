import type { FastifyInstance, FastifyPluginAsync } from 'fastify'

/**
 * Registers each file of routes by the name of its function. Without a name Fastify looks for it among all
 * modules that are loaded, which took 1 ms a file: a tenth of a second of each start.
 */
export async function addRoutes(
  app: FastifyInstance,
  ...all: readonly FastifyPluginAsync[]
): Promise<void> {
  for (const routes of all)
    await app.register(Object.assign(routes, { [Symbol.for('fastify.display-name')]: routes.name }))
}
