import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AppError } from '../../domain/errors.ts'
import { checkManifest } from '../../domain/manifest/check-manifest.ts'
import { manifestLimits } from '../../domain/manifest/manifest-limits.ts'
import { publishedSchema } from '../../domain/manifest/manifest-schema.ts'
import { manifestPath, starters } from '../../domain/manifest/starters.ts'
import { errors } from '../http/schemas.ts'
import { createCheckAllowance } from './check-allowance.ts'
import { CheckedManifestBody, CheckManifestBody, StarterBody } from './schemas.ts'

/** The manifest of applications: its schema, starters, and a check before anything is pushed. */
export const manifestRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const allowance = createCheckAllowance()

  app.get(
    '/schemas/pipeline.json',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'getManifestSchema',
        description: 'JSON Schema 2020-12 of `.cloud-control/pipeline.yml`, for editors.',
        response: { 200: Type.Unsafe<object>({ type: 'object' }), ...errors() },
      },
    },
    async (_request, reply) => {
      void reply.header('cache-control', 'public, max-age=300')
      void reply.type('application/json; charset=utf-8')
      // Already JSON, so that a public route serializes nothing.
      return reply.send(publishedSchema as unknown as object)
    },
  )

  app.get(
    '/pipelines/manifest/starters',
    {
      config: { access: 'read' },
      schema: {
        operationId: 'listManifestStarters',
        response: { 200: Type.Object({ starters: Type.Array(StarterBody) }), ...errors() },
      },
    },
    async () => ({ starters: starters.map((starter) => ({ ...starter, path: manifestPath })) }),
  )

  app.post(
    '/pipelines/manifest/check',
    {
      config: { access: 'read' },
      schema: {
        operationId: 'checkManifest',
        description: 'Says what is wrong with a manifest. 200 for a bad one too.',
        body: CheckManifestBody,
        response: { 200: CheckedManifestBody, ...errors(413) },
      },
    },
    async ({ caller: { organizationId }, body: { yaml } }) => {
      if (Buffer.byteLength(yaml) > manifestLimits.bytes) throw tooLarge()
      const checked = allowance.measure(organizationId, () => checkManifest(yaml))
      const { manifest, errors, warnings } = checked
      return { ok: manifest !== undefined, errors, warnings }
    },
  )
}

const tooLarge = () =>
  new AppError(
    'too_large',
    `A manifest has at most ${manifestLimits.bytes / 1_024} KiB. Move scripts into files of the repository.`,
    { code: 'manifest_too_large' },
  )
