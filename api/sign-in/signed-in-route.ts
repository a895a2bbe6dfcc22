import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { hashCredential } from '../../domain/access/credentials.ts'
import { callers } from '../../store/platform/callers.ts'
import { sessionCookieOf } from '../http/https.ts'
import { errors } from '../http/schemas.ts'

/**
 * Whether the request has a session that stands. The sign-in page asks this: `getMe` would answer whoever is signed
 * out with 401, which browsers log as a fault of the page.
 */
export const signedInRoute: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/auth/signed-in',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'lookAtSession',
        description:
          'Whether the session cookie of the request stands. Never 401, and not counted as a use of the session.',
        response: { 200: Type.Object({ signedIn: Type.Boolean() }), ...errors() },
      },
    },
    async ({ cookies }) => {
      const cookie = cookies[sessionCookieOf(app.deps.config)]
      if (!cookie) return { signedIn: false }
      const session = await callers(app.deps.store).bySession(hashCredential(cookie))
      return { signedIn: session !== undefined }
    },
  )
}
