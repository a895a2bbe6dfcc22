import type { FastifyPluginAsync } from 'fastify'
import { scimLogRoutes } from './log-routes.ts'
import { scimRoutes } from './routes.ts'
import { scimTokenRoutes } from './token-routes.ts'

/** Provisioning by SCIM 2.0, its tokens and its log. */
export const scimPlugin: FastifyPluginAsync = async (app) => {
  await app.register(scimTokenRoutes)
  await app.register(scimLogRoutes)
  await app.register(scimRoutes)
}
