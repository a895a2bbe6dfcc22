import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { cloudAccounts } from '../../store/clouds/cloud-accounts.ts'
import { decodeCursor, page } from '../http/paging.ts'
import { errors, IdParams, NextCursor, NoQuery, Page } from '../http/schemas.ts'
import { accountTarget } from './account-target.ts'
import { presentAccount, presentAccounts } from './present-account.ts'
import { CloudAccountBody } from './schemas.ts'

/** Cloud accounts as every member reads them. */
export const accountRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/cloud/accounts',
    {
      config: { access: 'read', denialEvent: 'cloud.rbac_denied' },
      schema: {
        operationId: 'listCloudAccounts',
        querystring: Type.Object(Page.properties, { additionalProperties: false }),
        response: {
          200: Type.Object({ accounts: Type.Array(CloudAccountBody), nextCursor: NextCursor }),
          ...errors(),
        },
      },
    },
    async ({ caller: { organizationId }, query: { limit = 50, cursor } }) => {
      const after = decodeCursor(cursor, 0)
      return deps.store.tenant(organizationId, async (tenant) => {
        const { rows, nextCursor } = page(await cloudAccounts(tenant).list(limit + 1, after), limit)
        return { accounts: await presentAccounts(tenant, deps, rows), nextCursor }
      })
    },
  )

  app.get(
    '/cloud/accounts/:id',
    {
      config: { access: 'read', denialEvent: 'cloud.rbac_denied', target: accountTarget },
      schema: {
        operationId: 'getCloudAccount',
        params: IdParams,
        querystring: NoQuery,
        response: { 200: Type.Object({ account: CloudAccountBody }), ...errors() },
      },
    },
    async ({ caller: { organizationId }, params: { id } }) =>
      deps.store.tenant(organizationId, async (tenant) => {
        const account = await cloudAccounts(tenant).get(id)
        return { account: await presentAccount(tenant, deps, account) }
      }),
  )
}
