import type { FastifyPluginAsync } from 'fastify'
import { passwordRoutes } from './password-routes.ts'
import { signInRoutes } from './routes.ts'
import { signedInRoute } from './signed-in-route.ts'
import { secondFactorRoutes } from './second-factor-routes.ts'
import { sessionRoutes } from './session-routes.ts'
import { addRoutes } from '../http/add-routes.ts'

/** Signing in: passwords, second factors, sessions. */
export const signInPlugin: FastifyPluginAsync = async (app) => {
  await addRoutes(
    app,
    signInRoutes,
    signedInRoute,
    secondFactorRoutes,
    passwordRoutes,
    sessionRoutes,
  )
}
