import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Tenant } from '../../store/driver/tenant.ts'
import { workspaceViews } from '../../store/workspaces/workspace-views.ts'
import { errors, IdParams, NoQuery, Ok } from '../http/schemas.ts'
import { presentView, removeView, shareView } from './share-view.ts'
import { NewViewBody, ViewAnswer, ViewList } from './view-schemas.ts'

const target = async (tenant: Tenant, { id = 0 }: Record<string, number>) =>
  workspaceViews(tenant).get(id)

/** Views of the list of workspaces that members share. */
export const viewRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { store } = app.deps

  app.get(
    '/workspace-views',
    {
      config: { access: 'read' },
      schema: {
        operationId: 'listWorkspaceViews',
        description: 'By name. There are at most 50, in one answer.',
        querystring: NoQuery,
        response: { 200: ViewList, ...errors() },
      },
    },
    async ({ caller: { organizationId } }) => {
      const found = await store.tenant(organizationId, async (tenant) =>
        workspaceViews(tenant).list(),
      )
      return { views: found.map(presentView) }
    },
  )

  app.post(
    '/workspace-views',
    {
      config: { access: 'mutate_infra' },
      schema: {
        operationId: 'shareWorkspaceView',
        description:
          'Gives filters and an order a name that all members see. Refused with 409: `name_taken`, `view_limit`.',
        body: NewViewBody,
        response: { 201: ViewAnswer, ...errors(409) },
      },
    },
    async ({ caller, body }, reply) => {
      const view = await store.tenant(caller.organizationId, async (tenant) =>
        shareView(tenant, caller, body),
      )
      return reply.status(201).send({ ok: true as const, view })
    },
  )

  app.delete(
    '/workspace-views/:id',
    {
      config: { access: 'mutate_infra', target },
      schema: {
        operationId: 'removeWorkspaceView',
        description: 'Removes it for everybody. No workspace is changed.',
        params: IdParams,
        response: { 200: Ok, ...errors() },
      },
    },
    async ({ caller, params: { id } }) => {
      await store.tenant(caller.organizationId, async (tenant) => removeView(tenant, caller, id))
      return { ok: true as const }
    },
  )
}
