import type { FastifyPluginAsync } from 'fastify'
import { samlConfigurationRoutes } from './configuration-routes.ts'
import { samlLogoutRoutes } from './logout-routes.ts'
import { samlMetadataRoutes } from './metadata-routes.ts'
import { samlAssertionRoutes, samlLoginRoutes } from './sign-in-routes.ts'

/** Single sign-on by SAML 2.0, and its configuration. */
export const samlPlugin: FastifyPluginAsync = async (app) => {
  await app.register(samlMetadataRoutes)
  await app.register(samlLogoutRoutes)
  await app.register(samlLoginRoutes)
  await app.register(samlAssertionRoutes)
  await app.register(samlConfigurationRoutes)
}
