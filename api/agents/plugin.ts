import type { FastifyPluginAsync } from 'fastify'
import { readAgentFile, type AgentFile } from './agent-file.ts'
import { agentFileRoutes } from './file-routes.ts'
import { agentProtocolRoutes } from './protocol/protocol-routes.ts'
import { agentRoutes } from './routes.ts'
import { addRoutes } from '../http/add-routes.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** What hosts run, as it was when this process started. */
    agentFile: AgentFile | undefined
  }
}

/** Agents as people manage them, the protocol that agents speak, and the file that they are. */
export const agentPlugin: FastifyPluginAsync = async (app) => {
  app.decorate('agentFile', readAgentFile(app.deps.config.agentFile))
  await addRoutes(app, agentRoutes, agentFileRoutes, agentProtocolRoutes)
}
