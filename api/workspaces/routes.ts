import type { Tenant } from '../../store/driver/tenant.ts'
import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import { repeatedFilters } from '../http/repeated-filters.ts'
import { errors, IdParams, NextCursor, Ok } from '../http/schemas.ts'
import { createWorkspace } from './create-workspace.ts'
import { deleteWorkspace } from './delete-workspace.ts'
import { WorkspaceQuery } from './list-schemas.ts'
import { listWorkspaces } from './list-workspaces.ts'
import { presentWorkspace } from './present-workspaces.ts'
import { NewWorkspaceBody, WorkspaceAnswer, WorkspaceBody, WorkspaceChangeBody } from './schemas.ts'
import { updateWorkspace } from './update-workspace.ts'

const target = async (tenant: Tenant, { id = 0 }: Record<string, number>) =>
  workspaces(tenant).get(id)

/** Infrastructure workspaces. What belongs to them has files of its own. */
export const workspaceRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/workspaces',
    {
      config: { access: 'read', compressed: true },
      preValidation: repeatedFilters,
      schema: {
        operationId: 'listWorkspaces',
        description:
          'A repeated filter means or, several filters mean and. Without an order: as they were created.',
        querystring: WorkspaceQuery,
        response: {
          200: Type.Object({ workspaces: Type.Array(WorkspaceBody), nextCursor: NextCursor }),
          ...errors(),
        },
      },
    },
    async ({ caller, query }) => listWorkspaces(app.deps, caller, query),
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
