import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Body, errors, Ok } from '../http/schemas.ts'
import { activateSecondFactor } from './activate-second-factor.ts'
import { enrollSecondFactor } from './enroll-second-factor.ts'
import { removeSecondFactor } from './remove-second-factor.ts'
import { Code } from './schemas.ts'

/** One's own second factor: TOTP, and ten recovery codes. */
export const secondFactorRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/auth/mfa/enroll',
    {
      config: { access: 'read', sessionOnly: true, changesCredential: true },
      schema: {
        operationId: 'enrollSecondFactor',
        response: {
          200: Type.Object({
            ok: Type.Literal(true),
            secret: Type.String({ description: 'Base32, for typing into an app.' }),
            otpauthUrl: Type.String(),
            qrSvg: Type.String({ description: 'otpauthUrl as a QR code, an SVG document.' }),
          }),
          ...errors(409),
        },
      },
    },
    async ({ caller }) => ({
      ok: true as const,
      ...(await enrollSecondFactor(app.deps, caller)),
    }),
  )

  app.post(
    '/auth/mfa/activate',
    {
      config: { access: 'read', sessionOnly: true, changesCredential: true },
      schema: {
        operationId: 'activateSecondFactor',
        body: Body({ code: Code }),
        response: {
          200: Type.Object({
            ok: Type.Literal(true),
            recoveryCodes: Type.Array(Type.String(), { description: 'Shown this once.' }),
          }),
          ...errors(409),
        },
      },
    },
    async ({ caller, body }) => ({
      ok: true as const,
      recoveryCodes: await activateSecondFactor(app.deps, caller, body.code),
    }),
  )

  app.delete(
    '/auth/mfa',
    {
      config: { access: 'read', sessionOnly: true, changesCredential: true },
      schema: {
        operationId: 'removeSecondFactor',
        description: 'Asks for a current code or a recovery code.',
        body: Body({ code: Code }),
        response: { 200: Ok, ...errors(409) },
      },
    },
    async ({ caller, body }) => {
      await removeSecondFactor(app.deps, caller, body.code)
      return { ok: true as const }
    },
  )
}
