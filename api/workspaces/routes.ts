import type { Tenant } from '../../store/driver/tenant.ts'
import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import { decodeCursor, page } from '../http/paging.ts'
import { errors, IdParams, NamedPage, NextCursor, Ok } from '../http/schemas.ts'
import { createWorkspace } from './create-workspace.ts'
import { deleteWorkspace } from './delete-workspace.ts'
import { presentWorkspace, presentWorkspaces } from './present-workspaces.ts'
import { NewWorkspaceBody, WorkspaceAnswer, WorkspaceBody, WorkspaceChangeBody } from './schemas.ts'
import { updateWorkspace } from './update-workspace.ts'

const target = async (tenant: Tenant, { id = 0 }: Record<string, number>) =>
  workspaces(tenant).get(id)

/** Infrastructure workspaces. What belongs to them has files of its own. */
export const workspaceRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/workspaces',
    {
      config: { access: 'read' },
      schema: {
        operationId: 'listWorkspaces',
        querystring: NamedPage,
        response: {
          200: Type.Object({ workspaces: Type.Array(WorkspaceBody), nextCursor: NextCursor }),
          ...errors(),
        },
      },
    },
    async ({ caller: { organizationId }, query: { limit = 50, cursor, q } }) => {
      const after = decodeCursor(cursor, 0)
      return app.deps.store.tenant(organizationId, async (tenant) => {
        const found = await workspaces(tenant).list(limit + 1, after, q)
        const { rows, nextCursor } = page(found, limit)
        return { workspaces: await presentWorkspaces(tenant, rows), nextCursor }
      })
    },
  )

  app.post(
    '/workspaces',
    {
      config: { access: 'mutate_infra' },
      schema: {
        operationId: 'createWorkspace',
        body: NewWorkspaceBody,
        response: { 201: WorkspaceAnswer, ...errors(409) },
      },
    },
    async ({ caller, body }, reply) => {
      const workspace = await createWorkspace(app.deps, caller, body)
      return reply.status(201).send({ ok: true, workspace })
    },
  )

  app.get(
    '/workspaces/:id',
    {
      config: { access: 'read', target },
      schema: {
        operationId: 'getWorkspace',
        params: IdParams,
        response: { 200: Type.Object({ workspace: WorkspaceBody }), ...errors() },
      },
    },
    async ({ caller: { organizationId }, params: { id } }) => {
      return app.deps.store.tenant(organizationId, async (tenant) => {
        const row = await workspaces(tenant).get(id)
        const workspace = await presentWorkspace(tenant, row)
        return { workspace }
      })
    },
  )

  app.patch(
    '/workspaces/:id',
    {
      config: { access: 'mutate_infra', target },
      schema: {
        operationId: 'updateWorkspace',
        description:
          'criticality away from production, costLimitMonthly, unpriced, autoApply, cloudAccountId and gitConnectionId need manage_cloud_accounts.',
        params: IdParams,
        body: WorkspaceChangeBody,
        response: { 200: WorkspaceAnswer, ...errors(409) },
      },
    },
    async ({ caller, params: { id }, body }) => ({
      ok: true as const,
      workspace: await updateWorkspace(app.deps, caller, { id, change: body }),
    }),
  )

  app.delete(
    '/workspaces/:id',
    {
      config: { access: 'mutate_infra', target },
      schema: {
        operationId: 'deleteWorkspace',
        description:
          'Refused while the state has resources, unless abandon=true leaves them running. That, and deleting a production workspace, need manage_cloud_accounts.',
        params: IdParams,
        querystring: Type.Object({ abandon: Type.Optional(Type.Boolean({ default: false })) }),
        response: { 200: Ok, ...errors(409, 423) },
      },
    },
    async ({ caller, params: { id }, query: { abandon = false } }) => {
      await deleteWorkspace(app.deps, caller, { id, abandon })
      return { ok: true as const }
    },
  )
}
