import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../../domain/errors.ts'
import { readFiles, type ReadFiles } from '../../domain/workspaces/read-configuration-body.ts'
import { entityTagOf } from '../../domain/workspaces/version-precondition.ts'
import {
  maxHereBytes,
  readConfiguration,
} from '../../gateways/configurations/read-configuration.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import { Body, errors, IdParams } from '../http/schemas.ts'
import { parseBody } from '../http/validation.ts'
import { admitUpload, uploadAllowance } from './admit-upload.ts'
import { presentConfigurations } from './present-configurations.ts'
import { putConfiguration } from './put-configuration.ts'
import { ConfigurationVersionBody, Files, maxConfigurationBytes } from './schemas.ts'
import { preconditionIn, PreconditionHeaders } from './version-precondition-headers.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The files of a larger body, of which the body itself then has none. */
    largeFiles: ReadFiles | undefined
  }
}

const target = async (tenant: Tenant, { id = 0 }: Record<string, number>) =>
  workspaces(tenant).get(id)
const Answer = Type.Object({ ok: Type.Literal(true), configuration: ConfigurationVersionBody })

export const uploadRoute: FastifyPluginAsyncTypebox = async (app) => {
  app.decorateRequest('largeFiles')
  // Of this plugin alone.
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, parseUpload)

  app.put(
    '/workspaces/:id/configuration',
    {
      bodyLimit: maxConfigurationBytes,
      onRequest: admitUpload,
      config: { access: 'mutate_infra', target },
      schema: {
        operationId: 'putConfiguration',
        description:
          'Makes a new version of all files (201). The same content as the newest version makes none (200). The tag of a version is its number in quotes. With `If-Match: "3"` a save that does not follow version 3 is refused (412 `configuration_overtaken`), and with `If-None-Match: *` one that is not the first.',
        params: IdParams,
        headers: PreconditionHeaders,
        body: Body({ files: Files }),
        response: {
          200: Answer,
          201: Answer,
          ...errors(409, 412),
        },
      },
    },
    async ({ caller, params: { id }, body, largeFiles, headers }, reply) => {
      const files = largeFiles ?? readFiles(body.files)
      const precondition = preconditionIn(headers)
      const { version, created } = await putConfiguration(app.deps, caller, {
        id,
        files,
        precondition,
      })
      const [configuration] = await app.deps.store.tenant(caller.organizationId, async (tenant) =>
        presentConfigurations(tenant, [version]),
      )
      if (!configuration) throw new Error('a version that was just made is gone')
      void reply.header('etag', entityTagOf(configuration.number))
      return reply.status(created ? 201 : 200).send({ ok: true, configuration })
    },
  )
}

/** A larger body is read in a process of its own. */
async function parseUpload(request: FastifyRequest, bytes: Buffer): Promise<unknown> {
  if (bytes.length <= maxHereBytes) return parseBody(request, bytes)
  const { organizationId } = request.caller
  uploadAllowance.use(organizationId, bytes.length)
  try {
    request.largeFiles = await readConfiguration(organizationId, bytes)
  } catch (error) {
    if (!(error instanceof AppError) || error.fault !== 'invalid') throw error
    request.bodyFault = error
  }
  return { files: {} }
}
