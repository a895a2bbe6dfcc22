import type { FastifyPluginAsync } from 'fastify'
import { organizationTokenRoutes } from './organization-routes.ts'
import { tokenRoutes } from './routes.ts'
import { addRoutes } from '../http/add-routes.ts'

/** API tokens: a person’s own, and those of an organization’s people. */
export const tokenPlugin: FastifyPluginAsync = async (app) => {
  await addRoutes(app, tokenRoutes, organizationTokenRoutes)
}
