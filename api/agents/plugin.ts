import type { FastifyPluginAsync } from 'fastify'
import { agentProtocolRoutes } from './protocol/protocol-routes.ts'
import { agentRoutes } from './routes.ts'

/** Agents as people manage them, and the protocol that agents speak. */
export const agentPlugin: FastifyPluginAsync = async (app) => {
  await app.register(agentRoutes)
  await app.register(agentProtocolRoutes)
}
