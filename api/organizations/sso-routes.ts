import type { Tenant } from '../../store/driver/tenant.ts'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type, type Static } from 'typebox'
import type { Caller } from '../../domain/access/caller.ts'
import { spAddresses } from '../../domain/saml/sp-addresses.ts'
import { scimBasePath } from '../../domain/scim/scim-address.ts'
import { groupMappings } from '../../store/groups/group-mappings.ts'
import { organizationSettings } from '../../store/organizations/settings.ts'
import { tokens } from '../../store/tokens/tokens.ts'
import { presentScimToken } from '../scim/token-schemas.ts'
import { Body, errors } from '../http/schemas.ts'
import { publicOrigin } from '../http/public-origin.ts'
import { placeOfSaml, readSaml, type SamlPlace } from '../saml/read-saml.ts'
import { changeOrganization } from './change-organization.ts'
import { SsoBody } from './schemas.ts'

/** Enough for an overview; the list of mappings has the rest. */
const maxShownMappings = 200

/** /api/org/sso: how people sign in, on one page. */
export const ssoRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const config = { access: 'manage_users_sso', sessionOnly: true } as const
  const overview = async (caller: Caller) => {
    const place = await placeOfSaml(app.deps, caller, publicOrigin({ server: app }))
    return app.deps.store.tenant(caller.organizationId, async (tenant) => read(tenant, place))
  }

  app.get(
    '/org/sso',
    { config, schema: { operationId: 'getSso', response: { 200: SsoBody, ...errors() } } },
    async ({ caller }) => overview(caller),
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
          ...errors(409),
        },
      },
    },
    async ({ caller, body }) => {
      await changeOrganization(app.deps, caller, body)
      return { ok: true as const, ...(await overview(caller)) }
    },
  )
}

async function read(tenant: Tenant, place: SamlPlace): Promise<Static<typeof SsoBody>> {
  const { requireSso } = await organizationSettings(tenant)
  const scimTokens = await tokens(tenant).listScim()
  return {
    saml: await readSaml(tenant, place),
    serviceProvider: spAddresses(place.origin, place.slug),
    scim: {
      baseUrl: `${place.origin}${scimBasePath}`,
      tokens: scimTokens.map(presentScimToken),
    },
    groupMappings: await groupMappings(tenant).list(maxShownMappings, 0),
    requireSso,
  }
}
