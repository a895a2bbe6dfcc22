import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { labelsInUse } from '../../store/labels-in-use.ts'
import { QueryText } from '../http/pattern.ts'
import { errors, Page } from '../http/schemas.ts'

const Count = Type.Integer({ minimum: 0, description: 'How many have it.' })

/** The labels in use, so that a person finds the team's own before making another. */
export const labelRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { store } = app.deps

  app.get(
    '/labels',
    {
      config: { access: 'read' },
      schema: {
        operationId: 'listLabels',
        description:
          'The labels of workspaces and pipelines, those with most uses first. There is one page: narrow it by `q`.',
        querystring: Type.Object(
          {
            limit: Page.properties.limit,
            q: Type.Optional(
              QueryText({
                minLength: 1,
                maxLength: 164,
                description: 'A part of the label as key=value.',
              }),
            ),
          },
          { additionalProperties: false },
        ),
        response: {
          200: Type.Object({
            labels: Type.Array(
              Type.Object({
                key: Type.String(),
                value: Type.String(),
                workspaces: Count,
                pipelines: Count,
              }),
            ),
          }),
          ...errors(),
        },
      },
    },
    async ({ caller: { organizationId }, query: { limit = 50, q } }) => ({
      labels: await store.tenant(organizationId, async (tenant) =>
        labelsInUse(tenant, { q, limit }),
      ),
    }),
  )
}
