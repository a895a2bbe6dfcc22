import type { Readable } from 'node:stream'
import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { ErrorBody, errors } from '../http/schemas.ts'
import { RunParams } from '../runs/schemas.ts'
import { findArtifact } from './find-artifact.ts'
import { descriptionRoutes } from './description-routes.ts'
import { releaseRoute } from './release-route.ts'
import { sendArtifact } from './send-artifact.ts'
import { addRoutes } from '../http/add-routes.ts'

const path = '/pipelines/:id/runs/:runId'
const Bytes = {
  content: { 'application/zstd': { schema: Type.Unsafe<Readable>({ type: 'string' }) } },
}

/** What a run of an application has built, of what, and who says so. */
export const artifactRoutes: FastifyPluginAsyncTypebox = async (app) => {
  await addRoutes(app, descriptionRoutes, releaseRoute)
  const { deps } = app

  app.get(
    `${path}/artifact`,
    {
      config: { access: 'mutate_infra' },
      schema: {
        operationId: 'getRunArtifact',
        description:
          'The bytes: a tar of zstd. `ETag` is their digest; one `Range` and `If-Range` are understood. An answer that is cut off before its length has bytes that do not match the digest. 409 artifact_gone: it is kept no more; 503 artifact_store_unavailable: the store does not answer.',
        params: RunParams,
        response: { 200: Bytes, 206: Bytes, 304: Type.Null(), 416: ErrorBody, ...errors(409) },
      },
    },
    async (request, reply) => {
      const { caller, params } = request
      const { organizationId } = caller
      const found = await deps.store.tenant(organizationId, async (tenant) =>
        findArtifact(tenant, params),
      )
      const { artifact, pipelineName, number } = found
      return sendArtifact(deps, {
        request,
        reply,
        organizationId,
        artifact,
        fileName: `${pipelineName}-${number}`,
        async onStart() {
          await deps.store.tenant(organizationId, async (tenant) =>
            auditLog(tenant, actorOf(caller)).record('pipeline.artifact_downloaded', {
              target: { kind: 'run', id: params.runId, label: pipelineName },
              detail: {
                pipelineId: params.id,
                digest: artifact.digest,
                ...(request.headers.range !== undefined && {
                  range: request.headers.range.slice(0, 100),
                }),
              },
            }),
          )
        },
      })
    },
  )
}
