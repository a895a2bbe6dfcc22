import multipart from '@fastify/multipart'
import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { sourceForm } from '../../../domain/finops/upload-names.ts'
import { manageAccounts } from '../../clouds/account-target.ts'
import { errors, NoQuery } from '../../http/schemas.ts'
import { IdempotencyHeaders, idempotencyKey } from '../../runs/idempotency-key.ts'
import { ingestAfterWait } from '../ingests/answer-ingest.ts'
import { IngestAnswer } from '../ingests/schemas.ts'
import { maxFiles } from './bill-parts.ts'
import { receiveUpload } from './receive-upload.ts'
import { receivingPlaces } from './receiving-places.ts'
import { refusalOfUpload, uploadBill } from './upload-bill.ts'

/** 512 MiB at 2 Mbit/s. */
export const uploadTimeoutMs = 40 * 60_000

const description =
  'A bill as FOCUS 1.0 to 1.4, in multipart/form-data: the field `source` (1 to 63 lower-case letters, digits and hyphens) first, then 1 to 100 files `file` (.parquet, .csv, .csv.gz). It replaces the months that are in it. Answers as ingestBills does; 400 bill_refused where it cannot be read.'

const form = Type.Object({
  source: Type.String({ pattern: sourceForm.source }),
  file: Type.Array(Type.String({ format: 'binary' }), { minItems: 1, maxItems: maxFiles }),
})

/** Bills that no account of a cloud has. */
export const uploadRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app
  const places = receivingPlaces()
  app.removeAllContentTypeParsers()
  await app.register(multipart)

  app.post(
    '/finops/uploads',
    {
      config: { ...manageAccounts, bodyTimeoutMs: uploadTimeoutMs, form },
      schema: {
        operationId: 'uploadBill',
        description,
        consumes: ['multipart/form-data'],
        headers: IdempotencyHeaders,
        querystring: NoQuery,
        response: { 200: IngestAnswer, 202: IngestAnswer, ...errors(409) },
      },
    },
    async (request, reply) => {
      const { caller } = request
      const { organizationId } = caller
      const key = idempotencyKey(request.headers)
      const upload = await places
        .hold(organizationId, async () => receiveUpload(deps, request))
        .catch((error: unknown) => {
          // What is left of a refused body is not read: the connection ends with the answer.
          if (!request.raw.readableEnded) void reply.header('connection', 'close')
          throw error
        })
      const begun = await uploadBill(deps, caller, { upload, key })
      const { ingest, isOver } = await ingestAfterWait(deps, reply, { caller, key, begun })
      const refusal = isOver ? refusalOfUpload(ingest, begun.uploadId) : undefined
      if (refusal) throw refusal
      return reply.status(isOver ? 200 : 202).send({ ok: true, ingest })
    },
  )
}
