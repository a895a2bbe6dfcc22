import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { scimBasePath } from '../../domain/scim/scim-address.ts'
import { scimMediaType } from '../http/scim-error-body.ts'
import { addJsonParser } from '../http/validation.ts'
import { scimDiscoveryRoutes } from './discovery-routes.ts'
import { scimGroupRoutes } from './group-routes.ts'
import { logRefusals } from './log-refusals.ts'
import { refuseUnserved } from './refuse-unserved.ts'
import { scimUserRoutes } from './user-routes.ts'
import { addRoutes } from '../http/add-routes.ts'

/** A group of 20,000 members has 80,000, each with four attributes. */
const maxMembersOfGroup = 200_000

/** SCIM 2.0 under /api/scim/v2, for an organization's SCIM tokens alone. */
export const scimRoutes: FastifyPluginAsyncTypebox = async (app) => {
  await app.register(
    async (scim) => {
      addJsonParser(scim, scimMediaType)
      scim.addHook('onRoute', (route) => {
        if (route.url.includes('/Groups'))
          route.config = { ...route.config, maxMembers: maxMembersOfGroup }
      })
      // Answers are sent as stored; a schema would remove attributes that it does not know.
      scim.setSerializerCompiler(() => (answer) => JSON.stringify(answer))
      scim.addHook('onRequest', async (_, reply) => void reply.type(scimMediaType))
      logRefusals(scim)
      await addRoutes(scim, scimDiscoveryRoutes, scimUserRoutes, scimGroupRoutes)
      refuseUnserved(scim)
    },
    { prefix: scimBasePath.replace(/^\/api/, '') },
  )
}
