import type { FastifyPluginAsync } from 'fastify'
import { pipelineRunRoutes } from './run-routes.ts'
import { workspaceRunRoutes } from './workspace-run-routes.ts'

/** The runs of pipelines, and those of workspaces. */
export const runPlugin: FastifyPluginAsync = async (app) => {
  await app.register(pipelineRunRoutes)
  await app.register(workspaceRunRoutes)
}
