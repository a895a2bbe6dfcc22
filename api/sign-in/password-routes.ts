import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Body, errors, Ok, Text } from '../http/schemas.ts'
import { afterAnswer } from './after-answer.ts'
import { changePassword } from './change-password.ts'
import { forgotPassword } from './forgot-password.ts'
import { resetPassword } from './reset-password.ts'
import { Email, Password } from './schemas.ts'
import { visitorOf } from './visitor.ts'

/** Forgotten and changed passwords. */
export const passwordRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const later = afterAnswer(app)

  app.post(
    '/auth/password/forgot',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'forgotPassword',
        description: 'One answer, whether or not anybody has the address.',
        body: Body({ email: Email }),
        response: { 200: Ok, ...errors() },
      },
    },
    async (request, _reply) => {
      const { email } = request.body
      const visitor = visitorOf(request)
      later(async () => forgotPassword(app.deps, email, visitor))
      return { ok: true as const }
    },
  )

  app.post(
    '/auth/password/reset',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'resetPassword',
        body: Body({ token: Text(200, 1), password: Password }),
        response: { 200: Ok, ...errors() },
      },
    },
    async (request, _reply) => {
      await resetPassword(app.deps, request.body, visitorOf(request))
      return { ok: true as const }
    },
  )

  app.post(
    '/auth/password',
    {
      config: { access: 'read', sessionOnly: true, changesCredential: true },
      schema: {
        operationId: 'changePassword',
        description: 'Ends all other sessions.',
        body: Body({ current: Password, password: Password }),
        response: { 200: Ok, ...errors(409) },
      },
    },
    async ({ caller, body }) => {
      await changePassword(app.deps, caller, body)
      return { ok: true as const }
    },
  )
}
