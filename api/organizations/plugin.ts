import type { FastifyPluginAsync } from 'fastify'
import { groupMappingRoutes } from './group-mapping-routes.ts'
import { settingsRoutes } from './settings-routes.ts'
import { ssoRoutes } from './sso-routes.ts'
import { transferRoutes } from './transfer-routes.ts'
import { addRoutes } from '../http/add-routes.ts'

/** An organization: settings, sign-in methods, group mappings, transfer of ownership. */
export const organizationPlugin: FastifyPluginAsync = async (app) => {
  await addRoutes(app, settingsRoutes, ssoRoutes, groupMappingRoutes, transferRoutes)
}
