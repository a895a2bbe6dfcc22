import type { FastifyPluginAsync } from 'fastify'
import { scimLogRoutes } from './log-routes.ts'
import { scimRoutes } from './routes.ts'
import { scimTokenRoutes } from './token-routes.ts'
import { addRoutes } from '../http/add-routes.ts'

/** Provisioning by SCIM 2.0, its tokens and its log. */
export const scimPlugin: FastifyPluginAsync = async (app) => {
  await addRoutes(app, scimTokenRoutes, scimLogRoutes, scimRoutes)
}
