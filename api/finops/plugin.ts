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

/** Cost: prices, anomalies, budgets, units, and the bills that it comes from. */
export const finopsPlugin: FastifyPluginAsyncTypebox = async (app) => {
  await app.register(priceRoutes)
  await app.register(anomalyRoutes)
  await app.register(budgetRoutes)
  await app.register(costPlugin)
  await app.register(ingestRoutes)
  await app.register(sliceRoutes)
  await app.register(sourceRoutes)
  await app.register(unitRoutes)
  await app.register(uploadRoutes)
}
