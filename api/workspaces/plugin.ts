import type { FastifyPluginAsync } from 'fastify'
import { configurationRoutes } from './configuration-routes.ts'
import { formatRoutes } from './format-routes.ts'
import { labelRoutes } from './label-routes.ts'
import { lockRoutes } from './lock-routes.ts'
import { workspaceRoutes } from './routes.ts'
import { stateProtocolRoutes } from './state-protocol-routes.ts'
import { stateRoutes } from './state-routes.ts'
import { variableRoutes } from './variable-routes.ts'
import { viewRoutes } from './view-routes.ts'
import { addRoutes } from '../http/add-routes.ts'

/** Infrastructure workspaces and what belongs to them, without their runs. */
export const workspacePlugin: FastifyPluginAsync = async (app) => {
  await addRoutes(
    app,
    configurationRoutes,
    formatRoutes,
    variableRoutes,
    stateProtocolRoutes,
    stateRoutes,
    lockRoutes,
    workspaceRoutes,
    viewRoutes,
    labelRoutes,
  )
}
