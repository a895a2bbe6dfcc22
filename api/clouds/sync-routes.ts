import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { cloudAccounts } from '../../store/clouds/cloud-accounts.ts'
import { cloudSyncs } from '../../store/clouds/cloud-syncs.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { errors, Id, IdParams, NextCursor, NoQuery, Page } from '../http/schemas.ts'
import { IdempotencyHeaders, idempotencyKey } from '../runs/idempotency-key.ts'
import { accountTarget, manageAccounts } from './account-target.ts'
import { listSyncs, readSync } from './read-syncs.ts'
import { requestSync } from './request-sync.ts'
import { SyncBody, SyncWithPlacesBody } from './resource-schemas.ts'

const syncTarget = async (tenant: Tenant, { id = 0, syncId = 0 }: Record<string, number>) => {
  await cloudAccounts(tenant).get(id)
  await cloudSyncs(tenant).get(id, syncId)
}

/** The syncs of a cloud account: looking at what it has. */
export const syncRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.post(
    '/cloud/accounts/:id/sync',
    {
      config: { ...manageAccounts, target: accountTarget },
      schema: {
        operationId: 'syncCloudAccount',
        description:
          'Starts a sync of the account, or joins the one that runs; 429 too_many_syncs while four of the organization run.',
        headers: IdempotencyHeaders,
        params: IdParams,
        querystring: NoQuery,
        response: {
          202: Type.Object({ ok: Type.Literal(true), sync: SyncBody }),
          ...errors(409),
        },
      },
    },
    async ({ caller, params: { id }, headers }, reply) => {
      const sync = await requestSync(deps, caller, { id, idempotencyKey: idempotencyKey(headers) })
      return reply.status(202).send({ ok: true, sync })
    },
  )

  app.get(
    '/cloud/accounts/:id/syncs',
    {
      config: { access: 'read', denialEvent: 'cloud.rbac_denied', target: accountTarget },
      schema: {
        operationId: 'listCloudSyncs',
        description: 'Newest first.',
        params: IdParams,
        querystring: Type.Object(Page.properties, { additionalProperties: false }),
        response: {
          200: Type.Object({ syncs: Type.Array(SyncBody), nextCursor: NextCursor }),
          ...errors(),
        },
      },
    },
    async ({ caller: { organizationId }, params: { id }, query }) =>
      listSyncs(deps, organizationId, { id, ...query }),
  )

  app.get(
    '/cloud/accounts/:id/syncs/:syncId',
    {
      config: { access: 'read', denialEvent: 'cloud.rbac_denied', target: syncTarget },
      schema: {
        operationId: 'getCloudSync',
        params: Type.Object({ id: Id, syncId: Id }),
        querystring: NoQuery,
        response: { 200: Type.Object({ sync: SyncWithPlacesBody }), ...errors() },
      },
    },
    async ({ caller: { organizationId }, params: { id, syncId } }) =>
      readSync(deps, organizationId, { id, syncId }),
  )
}
