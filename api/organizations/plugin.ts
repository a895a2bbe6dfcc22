import type { FastifyPluginAsync } from 'fastify'
import { groupMappingRoutes } from './group-mapping-routes.ts'
import { settingsRoutes } from './settings-routes.ts'
import { ssoRoutes } from './sso-routes.ts'
import { transferRoutes } from './transfer-routes.ts'

/** An organization: settings, sign-in methods, group mappings, transfer of ownership. */
export const organizationPlugin: FastifyPluginAsync = async (app) => {
  await app.register(settingsRoutes)
  await app.register(ssoRoutes)
  await app.register(groupMappingRoutes)
  await app.register(transferRoutes)
}
