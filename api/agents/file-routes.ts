import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AppError } from '../../domain/errors.ts'
import { errors } from '../http/schemas.ts'
import { agentFileName } from './agent-file.ts'

const Script = {
  content: { 'text/javascript': { schema: Type.Unsafe<Buffer>({ type: 'string' }) } },
}

/** The agent for hosts. It is public, as its source is, and has no secret. */
export const agentFileRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    `/downloads/${agentFileName}`,
    {
      config: { access: 'public' },
      schema: {
        operationId: 'downloadAgent',
        description:
          'The deploy agent as one file for Node. `ETag` is its SHA-256. 404: this service was not built with it.',
        response: { 200: Script, 304: Type.Null(), ...errors(404) },
      },
    },
    async (request, reply) => {
      const file = app.agentFile
      if (!file)
        throw new AppError(
          'not_found',
          'The agent’s file is not here. An operator makes it with "npm run build:agent" and starts the service again.',
        )
      const etag = `"sha256:${file.sha256}"`
      void reply.headers({ etag, 'cache-control': 'no-cache' })
      if (request.headers['if-none-match'] === etag) return reply.status(304).send(null)
      return reply
        .type('text/javascript; charset=utf-8')
        .header('content-disposition', `attachment; filename="${agentFileName}"`)
        .send(file.bytes)
    },
  )
}
