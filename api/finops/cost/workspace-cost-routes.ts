import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { costTotals } from '../../../store/finops/cost/cost-totals.ts'
import { resourcesOfWorkspace } from '../../../store/finops/cost/resources-of-workspace.ts'
import { withinWindow } from '../../../store/finops/cost/within-window.ts'
import { workspaces } from '../../../store/workspaces/workspaces.ts'
import type { Tenant } from '../../../store/driver/tenant.ts'
import { errors, IdParams } from '../../http/schemas.ts'
import { presentDays } from './present-cost.ts'
import { readOf, readQuery, readStand } from './read-cost.ts'
import { basisField, frameFields, payloadFields, windowFields } from './schemas.ts'

const { currency, basis, from, to, total, unconverted } = frameFields
const { daily } = payloadFields
const WorkspaceCostBody = Type.Object({
  currency,
  basis,
  from,
  to,
  total,
  unconverted,
  daily,
  byService: payloadFields.spendByService,
  resources: Type.Array(
    Type.Object({ address: Type.String(), cloudId: Type.String(), amount: Type.Number() }),
  ),
})

const maxResources = 1_000

const target = async (tenant: Tenant, { id = 0 }: Record<string, number>) =>
  workspaces(tenant).get(id)

/** What the resources of one workspace cost. */
export const workspaceCostRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { store } = app.deps

  app.get(
    '/workspaces/:id/cost',
    {
      config: { access: 'read', denialEvent: 'cloud.rbac_denied', target },
      schema: {
        operationId: 'getWorkspaceCost',
        description:
          'Cost of resources on the days on which they were the workspace’s (docs/ownership.md). The window is that of the payload; of the resources the 1,000 dearest.',
        params: IdParams,
        querystring: Type.Object(
          { ...windowFields, ...basisField },
          { additionalProperties: false },
        ),
        response: { 200: WorkspaceCostBody, ...errors() },
      },
    },
    async ({ caller: { organizationId }, params: { id }, query: asked }) => {
      await store.tenant(organizationId, async (tenant) => workspaces(tenant).get(id))
      const query = { ...readQuery(asked), workspaceId: [id] }
      const stand = await readStand(store, organizationId, query)
      const read = readOf(organizationId, stand, query)
      return store.tenant(organizationId, async (tenant) => {
        const totals = await costTotals(tenant, read, { withTags: false })
        const of = { workspaceId: id, limit: maxResources }
        const resources = await withinWindow(tenant, async () =>
          resourcesOfWorkspace(tenant, read, of),
        )
        return {
          currency: stand.currency,
          basis: query.basis,
          from: query.from,
          to: query.to,
          total: Number(totals.total),
          unconverted: totals.unconverted.map((one) => ({ ...one, amount: Number(one.amount) })),
          daily: presentDays(query, totals),
          byService: totals.services.map((one) => ({ ...one, amount: Number(one.amount) })),
          resources: resources.map((one) => ({ ...one, amount: Number(one.amount) })),
        }
      })
    },
  )
}
