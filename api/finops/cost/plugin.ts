import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { rateRoutes } from '../rates/rate-routes.ts'
import { commitmentRoutes } from './commitment-routes.ts'
import { costRoutes } from './cost-routes.ts'
import { exportRoutes } from './export-routes.ts'
import { unmanagedRoutes } from './unmanaged-routes.ts'
import { workspaceCostRoutes } from './workspace-cost-routes.ts'
import { addRoutes } from '../../http/add-routes.ts'

/** Cost: what bills say, by sums, series and files, and the rates that they are converted at. */
export const costPlugin: FastifyPluginAsyncTypebox = async (app) => {
  await addRoutes(
    app,
    costRoutes,
    commitmentRoutes,
    exportRoutes,
    rateRoutes,
    unmanagedRoutes,
    workspaceCostRoutes,
  )
}
