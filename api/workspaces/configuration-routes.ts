import type { Tenant } from '../../store/driver/tenant.ts'
import { Readable } from 'node:stream'
import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Caller } from '../../domain/access/caller.ts'
import { entityTagOf } from '../../domain/workspaces/version-precondition.ts'
import {
  configurationVersions,
  placeOfFiles,
} from '../../store/workspaces/configuration-versions.ts'
import { sealedFiles } from '../../store/workspaces/sealed-files.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import type { Deps } from '../deps.ts'
import { decodeCursor, maxKey, page } from '../http/paging.ts'
import { errors, Id, IdParams, NextCursor, Nullable, Page } from '../http/schemas.ts'
import { admitDownload } from './admit-download.ts'
import { presentConfigurations } from './present-configurations.ts'
import { ConfigurationVersionBody, Files } from './schemas.ts'
import { uploadRoute } from './upload-route.ts'
import { addRoutes } from '../http/add-routes.ts'

const target = async (tenant: Tenant, { id = 0 }: Record<string, number>) =>
  workspaces(tenant).get(id)

/**
 * A workspace's files in immutable versions. Every member may read them, to see what a run was
 * planned from; secrets belong in sensitive variables.
 */
export const configurationRoutes: FastifyPluginAsyncTypebox = async (app) => {
  await addRoutes(app, uploadRoute)

  app.get(
    '/workspaces/:id/configuration',
    {
      config: { access: 'read', target },
      schema: {
        operationId: 'getConfiguration',
        description:
          'The newest version with its files, or the one of this number; null if there is none. A run names its number as `configurationVersion`. Its `ETag` is for `If-Match` of a save.',
        params: IdParams,
        querystring: Type.Object({ version: Type.Optional(Id) }),
        response: {
          200: Type.Object({
            configuration: Nullable(
              Type.Object({ ...ConfigurationVersionBody.properties, files: Files }),
            ),
          }),
          ...errors(),
        },
      },
    },
    async ({ caller, params: { id }, query: { version: number } }, reply) => {
      const version = await findVersion(app.deps, caller, { id, number })
      if (!version) return { configuration: null }
      void reply.header('etag', entityTagOf(version.number))
      admitDownload(reply, { organizationId: caller.organizationId, sizeBytes: version.sizeBytes })
      // Streamed as text: up to 10 MiB are neither parsed nor held in memory.
      const text = Readable.from(answerOf(app.deps, caller, version), { objectMode: false })
      return reply.type('application/json; charset=utf-8').send(text as never)
    },
  )

  app.get(
    '/workspaces/:id/configuration/versions',
    {
      config: { access: 'read', target },
      schema: {
        operationId: 'listConfigurationVersions',
        params: IdParams,
        querystring: Page,
        response: {
          200: Type.Object({
            versions: Type.Array(ConfigurationVersionBody),
            nextCursor: NextCursor,
          }),
          ...errors(),
        },
      },
    },
    async ({ caller: { organizationId }, params: { id }, query: { limit = 50, cursor } }) => {
      const before = decodeCursor(cursor, maxKey)
      return app.deps.store.tenant(organizationId, async (tenant) => {
        await workspaces(tenant).get(id)
        const versions = configurationVersions(tenant)
        const { rows, nextCursor } = page(await versions.list(id, limit + 1, before), limit)
        return { versions: await presentConfigurations(tenant, rows), nextCursor }
      })
    },
  )
}

async function findVersion(
  { store }: Deps,
  { organizationId }: Caller,
  { id, number }: { id: number; number: number | undefined },
) {
  return store.tenant(organizationId, async (tenant) => {
    await workspaces(tenant).get(id)
    const versions = configurationVersions(tenant)
    const version = await (number === undefined ? versions.newest(id) : versions.find(id, number))
    if (!version) return undefined
    return (await presentConfigurations(tenant, [version]))[0]
  })
}

/**
 * The files are stored as the JSON that is sent. Its closing brackets are sent only after all of it
 * was authenticated, so tampered data never makes a complete answer.
 */
async function* answerOf(
  { store, keyring }: Deps,
  { organizationId }: Caller,
  version: ConfigurationVersionBody,
): AsyncGenerator<Buffer> {
  const place = placeOfFiles(organizationId)
  yield Buffer.from(`{"configuration":${JSON.stringify(version).slice(0, -1)},"files":`)
  yield* keyring.openPieces(place, sealedFiles(store, { organizationId, versionId: version.id }))
  yield Buffer.from('}}')
}
