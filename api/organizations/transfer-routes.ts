import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Body, errors, Id, Ok, Text } from '../http/schemas.ts'
import { transferOwnership } from './transfer-ownership.ts'

/** The one thing that needs the role Owner. */
export const transferRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/org/transfer-ownership',
    {
      config: { access: 'manage_billing_transfer', sessionOnly: true },
      schema: {
        operationId: 'transferOwnership',
        body: Body({ userId: Id, password: Text(1_000, 1) }),
        response: { 200: Ok, ...errors(409) },
      },
    },
    async ({ caller, body }) => {
      await transferOwnership(app.deps, caller, body)
      return { ok: true as const }
    },
  )
}
