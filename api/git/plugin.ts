import type { FastifyPluginAsync } from 'fastify'
import { hydrationRoutes } from './hydration-routes.ts'
import { gitRoutes } from './routes.ts'
import { webhookRoutes } from './webhook-routes.ts'
import { addRoutes } from '../http/add-routes.ts'

/** Git connections, their webhooks, and writing configurations to Git. */
export const gitPlugin: FastifyPluginAsync = async (app) => {
  await addRoutes(app, gitRoutes, webhookRoutes, hydrationRoutes)
}
