import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { discardSlice } from '../../../app/finops/decide-slice.ts'
import { restateIngest } from '../../../app/finops/restate-ingest.ts'
import { actorOf } from '../../../store/audit/audit-log.ts'
import type { Tenant } from '../../../store/driver/tenant.ts'
import { billingSlices } from '../../../store/finops/billing-slices.ts'
import { manageAccounts } from '../../clouds/account-target.ts'
import { Body, errors, IdParams, NoQuery } from '../../http/schemas.ts'
import { presentIngest } from '../ingests/present-ingest.ts'
import { IngestAnswer } from '../ingests/schemas.ts'
import { acceptSlice } from './accept-slice.ts'

const target = async (tenant: Tenant, { id = 0 }: Record<string, number>) =>
  billingSlices(tenant).get(id)

const schema = {
  params: IdParams,
  querystring: NoQuery,
  body: Body({}),
  response: { 200: IngestAnswer, ...errors(409) },
}

/** What a person decides about an export that has much less than what it would replace. */
export const sliceRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app
  const config = { ...manageAccounts, target }

  app.post(
    '/finops/slices/:id/accept',
    {
      config,
      schema: {
        ...schema,
        operationId: 'acceptBillSlice',
        description:
          'Loads exactly what was looked at; 409 export_changed where the export is another by now.',
      },
    },
    async ({ caller, params: { id } }) => ({
      ok: true as const,
      ingest: await acceptSlice(deps, caller, id),
    }),
  )

  app.post(
    '/finops/slices/:id/discard',
    {
      config,
      schema: {
        ...schema,
        operationId: 'discardBillSlice',
        description: 'Drops what was looked at: the old numbers stay.',
      },
    },
    async ({ caller, params: { id } }) =>
      deps.store.tenant(caller.organizationId, async (tenant) => {
        const by = { actor: actorOf(caller), userId: caller.userId }
        const slice = await discardSlice(tenant, id, by)
        await restateIngest(tenant, slice)
        return { ok: true as const, ingest: await presentIngest(tenant, slice.ingestId) }
      }),
  )
}
