import type { Tenant } from '../../store/driver/tenant.ts'
import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Caller } from '../../domain/access/caller.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import { OneLine } from '../http/one-line.ts'
import { Body, errors, IdParams, Nullable } from '../http/schemas.ts'
import { lockWorkspace } from './lock-workspace.ts'
import { presentWorkspace } from './present-workspaces.ts'
import { WorkspaceAnswer } from './schemas.ts'
import { unlockWorkspace } from './unlock-workspace.ts'

const target = async (tenant: Tenant, { id = 0 }: Record<string, number>) =>
  workspaces(tenant).get(id)

/** A person's lock on a workspace. While it is held, no run begins to plan or to apply. */
export const lockRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const answer = async ({ organizationId }: Caller, id: number) =>
    app.deps.store.tenant(organizationId, async (tenant) => {
      const row = await workspaces(tenant).get(id)
      const workspace = await presentWorkspace(tenant, row)
      return { ok: true as const, workspace }
    })

  app.post(
    '/workspaces/:id/lock',
    {
      config: { access: 'mutate_infra', target },
      schema: {
        operationId: 'lockWorkspace',
        params: IdParams,
        body: Body({ reason: Type.Optional(Nullable(OneLine(1_000, 0))) }),
        response: { 200: WorkspaceAnswer, ...errors(423) },
      },
    },
    async ({ caller, params: { id }, body: { reason = null } }) => {
      await lockWorkspace(app.deps, caller, { id, reason })
      return answer(caller, id)
    },
  )

  app.post(
    '/workspaces/:id/unlock',
    {
      config: { access: 'mutate_infra', target },
      schema: {
        operationId: 'unlockWorkspace',
        description:
          'Frees one’s own lock. Somebody else’s needs force and manage_cloud_accounts; a live run’s is never freed.',
        params: IdParams,
        body: Body({ force: Type.Optional(Type.Boolean()) }),
        response: { 200: WorkspaceAnswer, ...errors(409, 423) },
      },
    },
    async ({ caller, params: { id }, body: { force = false } }) => {
      await unlockWorkspace(app.deps, caller, { id, force })
      return answer(caller, id)
    },
  )
}
