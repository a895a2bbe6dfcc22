import type { FastifyPluginAsync } from 'fastify'
import { allRunRoutes } from './all-run-routes.ts'
import { runHistoryRoutes } from './history-routes.ts'
import { pipelineRunRoutes } from './run-routes.ts'
import { workspaceRunRoutes } from './workspace-run-routes.ts'
import { addRoutes } from '../http/add-routes.ts'

/** All runs, the runs of pipelines, and those of workspaces. */
export const runPlugin: FastifyPluginAsync = async (app) => {
  await addRoutes(app, allRunRoutes, runHistoryRoutes, pipelineRunRoutes, workspaceRunRoutes)
}
