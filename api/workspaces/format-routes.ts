import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AppError } from '../../domain/errors.ts'
import { maxFormattedBytes } from '../../gateways/tofu/format-text.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import { createPlaces } from '../http/places.ts'
import { Body, errors, IdParams } from '../http/schemas.ts'
import { formatFile } from './format-file.ts'

const FileText = Type.String({ maxLength: maxFormattedBytes })
const target = async (tenant: Tenant, { id = 0 }: Record<string, number>) =>
  workspaces(tenant).get(id)

/** Of one organization in one process: half of the slots, so that no organization takes all. */
const places = createPlaces({ ofOrganization: 1 })

export const formatRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/workspaces/:id/configuration/format',
    {
      config: { access: 'mutate_infra', target },
      schema: {
        operationId: 'formatConfigurationFile',
        description:
          'The text of one file of OpenTofu as `tofu fmt` writes it. Nothing is stored. A text that cannot be read is 400 `file_not_formatted`, with its lines.',
        params: IdParams,
        body: Body({ text: FileText }),
        response: {
          200: Type.Object({ ok: Type.Literal(true), text: Type.String() }),
          ...errors(),
        },
      },
    },
    async ({ caller: { organizationId }, params: { id }, body: { text } }) => {
      const { deps } = app
      await deps.store.tenant(organizationId, async (tenant) => workspaces(tenant).get(id))
      const formatting = places.run(organizationId, async () => formatFile(deps.formatter, text))
      if (!formatting)
        throw new AppError(
          'rate_limited',
          'Another file is being formatted. Try again in a moment.',
          {
            code: 'too_many_at_once',
            retryAfterSeconds: 1,
          },
        )
      return { ok: true as const, text: await formatting }
    },
  )
}
