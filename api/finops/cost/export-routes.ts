import type { Readable } from 'node:stream'
import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { costWindow } from '../../../domain/finops/cost-query.ts'
import { focusExport } from '../../../store/finops/cost/focus-export.ts'
import { errors } from '../../http/schemas.ts'
import { windowFields } from './schemas.ts'
import { sendCsv } from './send-csv.ts'

/** The charges themselves. */
export const exportRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/finops/export',
    {
      config: { access: 'read', denialEvent: 'cloud.rbac_denied' },
      schema: {
        operationId: 'exportCharges',
        description:
          'FOCUS 1.2 at day grain, in each bill’s own currency. A bill’s missing ListCost is its BilledCost, a missing ContractedCost its EffectiveCost. Without from and to the first of last month to today. Two downloads of an organization at once; another one is 503 downloads_busy.',
        querystring: Type.Object(windowFields, { additionalProperties: false }),
        response: {
          200: { content: { 'text/csv': { schema: Type.Unsafe<Readable>({ type: 'string' }) } } },
          ...errors(),
        },
      },
    },
    async ({ caller: { organizationId }, query }, reply) => {
      const window = costWindow(query, new Date())
      return sendCsv(
        reply,
        `focus-${window.from}-${window.to}`,
        await focusExport(deps.store, organizationId, window),
      )
    },
  )
}
