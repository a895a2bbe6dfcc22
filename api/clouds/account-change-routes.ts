import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { errors, IdParams, NoQuery, Ok } from '../http/schemas.ts'
import { IdempotencyHeaders, idempotencyKey } from '../runs/idempotency-key.ts'
import { accountTarget, manageAccounts } from './account-target.ts'
import { changeAccount } from './change-account.ts'
import { connectAccount } from './connect-account.ts'
import { disconnectAccount } from './disconnect-account.ts'
import {
  CloudAccountAnswer,
  CloudAccountChangeBody,
  HowToDisconnect,
  NewCloudAccountBody,
} from './schemas.ts'

/** Connecting, changing and disconnecting cloud accounts. */
export const accountChangeRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.post(
    '/cloud/accounts',
    {
      config: manageAccounts,
      schema: {
        operationId: 'connectCloudAccount',
        description:
          'Connects an account at once, as pending; a validation and a sync follow by themselves.',
        headers: IdempotencyHeaders,
        querystring: NoQuery,
        body: NewCloudAccountBody,
        response: { 201: CloudAccountAnswer, ...errors(409) },
      },
    },
    async ({ caller, body, headers }, reply) => {
      const sent = { input: body, idempotencyKey: idempotencyKey(headers) }
      const account = await connectAccount(deps, caller, sent)
      return reply.status(201).send({ ok: true, account })
    },
  )

  app.patch(
    '/cloud/accounts/:id',
    {
      config: { ...manageAccounts, target: accountTarget },
      schema: {
        operationId: 'changeCloudAccount',
        params: IdParams,
        querystring: NoQuery,
        body: CloudAccountChangeBody,
        response: { 200: CloudAccountAnswer, ...errors(409) },
      },
    },
    async ({ caller, params: { id }, body }) => {
      const account = await changeAccount(deps, caller, { id, change: body })
      return { ok: true as const, account }
    },
  )

  app.delete(
    '/cloud/accounts/:id',
    {
      config: { ...manageAccounts, target: accountTarget },
      schema: {
        operationId: 'disconnectCloudAccount',
        params: IdParams,
        querystring: HowToDisconnect,
        response: { 200: Ok, ...errors(409) },
      },
    },
    async ({ caller, params: { id }, query: { detach = false, purge = false } }) => {
      await disconnectAccount(deps, caller, { id, detach, purge })
      return { ok: true as const }
    },
  )
}
