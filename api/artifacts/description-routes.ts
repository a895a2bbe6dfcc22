import type { Readable } from 'node:stream'
import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { conflict } from '../../domain/errors.ts'
import { manifestPath } from '../../domain/manifest/starters.ts'
import { sbomFormats } from '../../gateways/artifacts/describe-artifact.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { pipelineRuns } from '../../store/runs/pipeline-runs.ts'
import { errors, OneOf } from '../http/schemas.ts'
import { RunParams } from '../runs/schemas.ts'
import { cutOffWhenStalled } from './cut-off-when-stalled.ts'
import { findArtifact, findRun, notMade } from './find-artifact.ts'
import { ProvenanceBody } from './schemas.ts'
import { admitArtifact } from './send-artifact.ts'
import { addRoutes } from '../http/add-routes.ts'

const path = '/pipelines/:id/runs/:runId'
const target = async (tenant: Tenant, { id = 0, runId = 0 }: Record<string, number>) =>
  pipelineRuns(tenant).get(id, runId)
const Document = Type.Unsafe<Readable>({ type: 'object', additionalProperties: true })

/** What is known of an artifact: its bill of materials, its provenance and its manifest. */
export const descriptionRoutes: FastifyPluginAsyncTypebox = async (app) => {
  await addRoutes(app, sbomRoute, provenanceRoutes)
}

const sbomRoute: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    `${path}/sbom`,
    {
      config: { access: 'read', target },
      schema: {
        operationId: 'getRunSbom',
        description: 'The bill of materials of the artifact: SPDX 2.3 or CycloneDX 1.6, as JSON.',
        params: RunParams,
        querystring: Type.Object({
          format: Type.Optional(OneOf(sbomFormats, { description: 'spdx where it is left out.' })),
        }),
        response: { 200: Document, ...errors(409) },
      },
    },
    async (request, reply) => {
      const { caller, params, query } = request
      const { organizationId } = caller
      const { artifact } = await deps.store.tenant(organizationId, async (tenant) =>
        findArtifact(tenant, params),
      )
      const { format = 'spdx' } = query
      const digest = format === 'spdx' ? artifact.spdxDigest : artifact.cyclonedxDigest
      if (digest === null) throw notMade()
      admitArtifact(reply, organizationId)
      const document = await deps.artifacts.read(organizationId, digest)
      if (!document) throw conflict('artifact_gone', 'The document is not in the store any more.')
      reply.raw.once('close', () => document.stream.destroy())
      cutOffWhenStalled(reply)
      return reply
        .type('application/json; charset=utf-8')
        .headers({ etag: `"${digest}"`, 'content-length': document.sizeBytes })
        .send(document.stream)
    },
  )
}

const provenanceRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    `${path}/provenance`,
    {
      config: { access: 'read' },
      schema: {
        operationId: 'getRunProvenance',
        description:
          'A Sigstore bundle v0.3: an in-toto statement with SLSA Provenance v1, signed by a key of GET /api/org/signing-keys.',
        params: RunParams,
        response: { 200: ProvenanceBody, ...errors(409) },
      },
    },
    async ({ caller: { organizationId }, params }) => {
      const { artifact } = await deps.store.tenant(organizationId, async (tenant) =>
        findArtifact(tenant, params),
      )
      if (!artifact.provenance) throw notMade()
      const { mediaType, verificationMaterial, dsseEnvelope } = artifact.provenance
      const { payloadType, payload, signatures } = dsseEnvelope
      return {
        mediaType,
        verificationMaterial,
        dsseEnvelope: { payloadType, payload, signatures: [...signatures] },
      }
    },
  )

  app.get(
    `${path}/manifest`,
    {
      config: { access: 'read' },
      schema: {
        operationId: 'getRunManifest',
        description: 'The manifest that the run was built by, as it was fetched.',
        params: RunParams,
        response: {
          200: Type.Object({
            path: Type.String(),
            yaml: Type.String(),
            sha256: Type.String(),
          }),
          ...errors(409),
        },
      },
    },
    async ({ caller: { organizationId }, params }) => {
      const { manifest, artifact } = await deps.store.tenant(organizationId, async (tenant) =>
        findRun(tenant, params),
      )
      if (artifact && artifact.sweptAt !== null)
        throw conflict('artifact_gone', 'The artifact was removed, and what belonged to it.')
      if (!manifest) throw notMade()
      return { path: manifestPath, ...manifest }
    },
  )
}
