import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { anomalyRoutes } from './anomalies/anomaly-routes.ts'
import { budgetRoutes } from './budgets/budget-routes.ts'
import { costPlugin } from './cost/plugin.ts'
import { ingestRoutes } from './ingests/ingest-routes.ts'
import { priceRoutes } from './price-routes.ts'
import { sliceRoutes } from './slices/slice-routes.ts'
import { sourceRoutes } from './sources/source-routes.ts'
import { unitRoutes } from './units/unit-routes.ts'
import { uploadRoutes } from './uploads/upload-routes.ts'
import { addRoutes } from '../http/add-routes.ts'

/** Cost: prices, anomalies, budgets, units, and the bills that it comes from. */
export const finopsPlugin: FastifyPluginAsyncTypebox = async (app) => {
  await addRoutes(
    app,
    priceRoutes,
    anomalyRoutes,
    budgetRoutes,
    costPlugin,
    ingestRoutes,
    sliceRoutes,
    sourceRoutes,
    unitRoutes,
    uploadRoutes,
  )
}
