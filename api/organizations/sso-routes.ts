import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type, type Static } from 'typebox'
import type { Db } from '../../store/connect.ts'
import { groupMappings } from '../../store/groups/group-mappings.ts'
import { organizationSettings } from '../../store/organizations/settings.ts'
import { tokens } from '../../store/tokens/tokens.ts'
import { presentScimToken } from '../scim/token-schemas.ts'
import { Body, errors } from '../http/schemas.ts'
import { changeOrganization } from './change-organization.ts'
import { SsoBody } from './schemas.ts'

/** Enough for an overview; the rest is in the list itself. */
const maxShownMappings = 200

/** /api/org/sso (decisions §2): how people get in, on one page. */
export const ssoRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const config = { access: 'manage_users_sso', sessionOnly: true } as const
  const overview = async (organizationId: number) =>
    app.deps.store.tenant(organizationId, async (db) => read(db, organizationId))

  app.get(
    '/org/sso',
    { config, schema: { operationId: 'getSso', response: { 200: SsoBody, ...errors() } } },
    async ({ caller }) => overview(caller.organizationId),
  )

  app.patch(
    '/org/sso',
    {
      config,
      schema: {
        operationId: 'updateSso',
        body: Body({ requireSso: Type.Boolean() }),
        response: {
          200: Type.Object({ ok: Type.Literal(true), ...SsoBody.properties }),
          ...errors(),
        },
      },
    },
    async ({ caller, body }) => {
      await changeOrganization(app.deps, caller, body)
      return { ok: true as const, ...(await overview(caller.organizationId)) }
    },
  )
}

async function read(db: Db, organizationId: number): Promise<Static<typeof SsoBody>> {
  const { requireSso } = await organizationSettings(db, organizationId)
  const scimTokens = await tokens(db, organizationId).listScim()
  return {
    saml: null,
    scim: {
      tokens: scimTokens.map(presentScimToken),
    },
    groupMappings: await groupMappings(db, organizationId).list(maxShownMappings, 0),
    requireSso,
  }
}
