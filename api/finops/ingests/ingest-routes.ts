import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { manageAccounts } from '../../clouds/account-target.ts'
import { Body, errors, NoQuery } from '../../http/schemas.ts'
import { IdempotencyHeaders, idempotencyKey } from '../../runs/idempotency-key.ts'
import { ingestAfterWait } from './answer-ingest.ts'
import { readIngestRoutes } from './read-ingest-routes.ts'
import { requestIngest } from './request-ingest.ts'
import { IngestAnswer } from './schemas.ts'
import { addRoutes } from '../../http/add-routes.ts'

/** Ingests: looks at the bills of all accounts and uploads of an organization. */
export const ingestRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app
  await addRoutes(app, readIngestRoutes)

  app.post(
    '/finops/ingest',
    {
      config: manageAccounts,
      schema: {
        operationId: 'ingestBills',
        description:
          'Reads what is new of the bills of every healthy account. Waits up to 25 seconds: 200 where the ingest has ended, else 202. One runs at a time: another request joins it and has it look once more.',
        headers: IdempotencyHeaders,
        querystring: NoQuery,
        body: Body({}),
        response: { 200: IngestAnswer, 202: IngestAnswer, ...errors(409) },
      },
    },
    async ({ caller, headers }, reply) => {
      const key = idempotencyKey(headers)
      const begun = await requestIngest(deps, caller, key)
      const { ingest, isOver } = await ingestAfterWait(deps, reply, { caller, key, begun })
      return reply.status(isOver ? 200 : 202).send({ ok: true, ingest })
    },
  )
}
