import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Caller } from '../../domain/access/caller.ts'
import { samlTraces } from '../../store/saml/saml-traces.ts'
import { publicOrigin } from '../http/public-origin.ts'
import { Body, errors, Nullable } from '../http/schemas.ts'
import { beginTest } from './begin-sign-in.ts'
import { setBrowserCookie } from './browser-cookie.ts'
import { placeOfSaml, readSaml } from './read-saml.ts'
import { enableSaml, proveDomains, saveSaml } from './save-saml.ts'
import { SamlBody, SamlInput, SamlTraceBody } from './schemas.ts'

const Answer = Type.Object({ ok: Type.Literal(true), saml: Nullable(SamlBody) })

/** The identity provider of an organization, and the trace of sign-ins that failed. */
export const samlConfigurationRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const config = { access: 'manage_users_sso', sessionOnly: true } as const
  const shown = async (caller: Caller) => {
    const place = await placeOfSaml(app.deps, caller, publicOrigin({ server: app }))
    return app.deps.store.tenant(caller.organizationId, async (tenant) => readSaml(tenant, place))
  }

  app.get(
    '/org/saml',
    {
      config,
      schema: {
        operationId: 'getSaml',
        response: { 200: Type.Object({ saml: Nullable(SamlBody) }), ...errors() },
      },
    },
    async ({ caller }) => ({ saml: await shown(caller) }),
  )

  app.post(
    '/org/saml',
    {
      config,
      schema: {
        operationId: 'saveSaml',
        description:
          'By metadata or by fields; a field that is sent beside metadata goes before it. `certificate` takes several PEM blocks, for a change of keys. An omitted field keeps its value, null clears it.',
        body: SamlInput,
        response: { 200: Answer, ...errors(409) },
      },
    },
    async ({ caller, body }) => {
      await saveSaml(app.deps, caller, body)
      return { ok: true as const, saml: await shown(caller) }
    },
  )

  app.patch(
    '/org/saml',
    {
      config,
      schema: {
        operationId: 'enableSaml',
        body: Body({ enabled: Type.Boolean() }),
        response: { 200: Answer, ...errors(409) },
      },
    },
    async ({ caller, body }) => {
      await enableSaml(app.deps, caller, body.enabled)
      return { ok: true as const, saml: await shown(caller) }
    },
  )

  app.post(
    '/org/saml/domains/check',
    {
      config,
      schema: {
        operationId: 'checkSamlDomains',
        description: 'Looks for the DNS records of the domains that are not proved yet.',
        response: { 200: Answer, ...errors() },
      },
    },
    async ({ caller }) => {
      await proveDomains(app.deps, caller.organizationId)
      return { ok: true as const, saml: await shown(caller) }
    },
  )

  app.post(
    '/org/saml/test',
    {
      config,
      schema: {
        operationId: 'testSaml',
        description:
          'A sign-in that changes nothing and need not be enabled: follow `redirectUrl`, then read the traces.',
        response: {
          200: Type.Object({
            ok: Type.Literal(true),
            redirectUrl: Type.String(),
            requestId: Type.String(),
          }),
          ...errors(),
        },
      },
    },
    async (request, reply) => {
      const begun = await beginTest(app.deps, request.caller, publicOrigin(request))
      const { redirectUrl, requestId, browserCookie } = begun
      setBrowserCookie(reply, requestId, browserCookie)
      return { ok: true as const, redirectUrl, requestId }
    },
  )

  app.get(
    '/org/saml/traces',
    {
      config,
      schema: {
        operationId: 'listSamlTraces',
        description: 'The newest 50 attempts, newest first.',
        response: { 200: Type.Object({ traces: Type.Array(SamlTraceBody) }), ...errors() },
      },
    },
    async ({ caller: { organizationId } }) => {
      const rows = await app.deps.store.tenant(organizationId, async (tenant) =>
        samlTraces(tenant).list(),
      )
      return {
        traces: rows.map(({ createdAt, ...trace }) => ({ ...trace, at: createdAt.toISOString() })),
      }
    },
  )
}
