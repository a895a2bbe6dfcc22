import type { FastifyPluginAsync } from 'fastify'
import { samlConfigurationRoutes } from './configuration-routes.ts'
import { samlLogoutRoutes } from './logout-routes.ts'
import { samlMetadataRoutes } from './metadata-routes.ts'
import { samlAssertionRoutes, samlLoginRoutes } from './sign-in-routes.ts'
import { addRoutes } from '../http/add-routes.ts'

/** Single sign-on by SAML 2.0, and its configuration. */
export const samlPlugin: FastifyPluginAsync = async (app) => {
  await addRoutes(
    app,
    samlMetadataRoutes,
    samlLogoutRoutes,
    samlLoginRoutes,
    samlAssertionRoutes,
    samlConfigurationRoutes,
  )
}
