import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ensureSigningKey } from '../../app/signing/ensure-signing-key.ts'
import { provedSigningKeys } from '../../app/signing/published-keys.ts'
import { maxSigningKeys } from '../../domain/signing/trusted-keys.ts'
import { Body, errors, Nullable, Time } from '../http/schemas.ts'
import { rotateSigningKey } from './rotate-signing-key.ts'

const SigningKeyBody = Type.Object({
  keyId: Type.String({
    description:
      'sha256: and the SHA-256 of the public key in DER. Agents are given it as CC_AGENT_KEY.',
  }),
  publicKey: Type.String({ description: 'A P-256 key as PEM (SubjectPublicKeyInfo).' }),
  createdAt: Time,
  retiredAt: Nullable(Time),
})
const fields = {
  signingKeys: Type.Array(SigningKeyBody, {
    maxItems: maxSigningKeys,
    description: 'Newest first. The one that is not retired signs now.',
  }),
}

/** The keys that an organization signs its artifacts with. */
export const signingRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app
  const list = async (organizationId: number) => {
    const keys = await deps.store.tenant(organizationId, async (tenant) =>
      provedSigningKeys(deps, tenant),
    )
    return keys.map(({ keyId, publicKey, createdAt, retiredAt }) => ({
      keyId,
      publicKey,
      createdAt: createdAt.toISOString(),
      retiredAt: retiredAt?.toISOString() ?? null,
    }))
  }

  app.get(
    '/org/signing-keys',
    {
      config: { access: 'read' },
      schema: {
        operationId: 'listSigningKeys',
        description: 'The first key is made when it is asked for or needed first.',
        response: { 200: Type.Object(fields), ...errors() },
      },
    },
    async ({ caller: { organizationId } }) => {
      const found = await list(organizationId)
      if (found.length > 0) return { signingKeys: found }
      await ensureSigningKey(deps, organizationId)
      return { signingKeys: await list(organizationId) }
    },
  )

  app.post(
    '/org/signing-keys/rotate',
    {
      config: { access: 'manage_users_sso', sessionOnly: true },
      schema: {
        operationId: 'rotateSigningKey',
        description:
          'Makes a new key, signed by the one before it. What that one has signed stays verifiable, and agents learn the new key.',
        body: Body({}),
        response: { 201: Type.Object({ ok: Type.Literal(true), ...fields }), ...errors(409) },
      },
    },
    async ({ caller }, reply) => {
      await rotateSigningKey(deps, caller)
      return reply
        .status(201)
        .send({ ok: true as const, signingKeys: await list(caller.organizationId) })
    },
  )
}
