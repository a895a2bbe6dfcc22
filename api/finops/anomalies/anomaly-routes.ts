import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Tenant } from '../../../store/driver/tenant.ts'
import { shownAnomalies } from '../../../store/finops/shown-anomalies.ts'
import { repeatedFilters } from '../../http/repeated-filters.ts'
import { errors, IdParams, NextCursor, NoQuery } from '../../http/schemas.ts'
import { decideAnomaly } from './decide-anomaly.ts'
import { getAnomaly } from './get-anomaly.ts'
import { listAnomalies } from './list-anomalies.ts'
import { AnomalyBody, AnomalyDetailBody, AnomalyQuery, AnomalyVerdictBody } from './schemas.ts'

const denialEvent = 'cloud.rbac_denied'
const target = async (tenant: Tenant, { id = 0 }: Record<string, number>) =>
  shownAnomalies(tenant).get(id)

const AnomalyPage = Type.Object({ anomalies: Type.Array(AnomalyBody), nextCursor: NextCursor })

/** What raised the cost: found after each change of a bill, and judged by people. */
export const anomalyRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/finops/anomalies',
    {
      config: { access: 'read', denialEvent },
      preValidation: repeatedFilters,
      schema: {
        operationId: 'listAnomalies',
        description:
          'Newest first. A repeated filter means or, several filters mean and. from and to: those that touch these days. Amounts are in the currency of the bill.',
        querystring: AnomalyQuery,
        response: { 200: AnomalyPage, ...errors() },
      },
    },
    async ({ caller: { organizationId }, query }) => listAnomalies(deps, organizationId, query),
  )

  app.get(
    '/finops/anomalies/:id',
    {
      config: { access: 'read', denialEvent, target },
      schema: {
        operationId: 'getAnomaly',
        params: IdParams,
        querystring: NoQuery,
        response: { 200: Type.Object({ anomaly: AnomalyDetailBody }), ...errors() },
      },
    },
    async ({ caller: { organizationId }, params: { id } }) => ({
      anomaly: await getAnomaly(deps, organizationId, id),
    }),
  )

  app.patch(
    '/finops/anomalies/:id',
    {
      config: { access: 'mutate_infra', denialEvent, target },
      schema: {
        operationId: 'decideAnomaly',
        description:
          'expected: its days count as usual from the next scoring on. not_anomaly: the series becomes less sensitive. An anomaly below another one can be decided on by itself.',
        params: IdParams,
        querystring: NoQuery,
        body: AnomalyVerdictBody,
        response: {
          200: Type.Object({ ok: Type.Literal(true), anomaly: AnomalyBody }),
          ...errors(),
        },
      },
    },
    async ({ caller, params: { id }, body }) => ({
      ok: true as const,
      anomaly: await decideAnomaly(deps, caller, { id, verdict: body }),
    }),
  )
}
