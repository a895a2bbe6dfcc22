import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { accountChangeRoutes } from './account-change-routes.ts'
import { accountRoutes } from './account-routes.ts'
import { importRoutes } from './import-routes.ts'
import { memberRoutes } from './member-routes.ts'
import { resourceRoutes } from './resource-routes.ts'
import { setupRoutes } from './setup-routes.ts'
import { validateRoutes } from './validate-routes.ts'
import { syncRoutes } from './sync-routes.ts'
import { addRoutes } from '../http/add-routes.ts'

/** Cloud accounts: every member reads, `manage_cloud_accounts` writes. */
export const cloudRoutes: FastifyPluginAsyncTypebox = async (app) => {
  await addRoutes(
    app,
    setupRoutes,
    accountRoutes,
    accountChangeRoutes,
    memberRoutes,
    resourceRoutes,
    validateRoutes,
    syncRoutes,
    importRoutes,
  )
}
