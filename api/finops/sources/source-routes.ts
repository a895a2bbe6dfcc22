import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Tenant } from '../../../store/driver/tenant.ts'
import { billingSources } from '../../../store/finops/billing-sources.ts'
import { readSources } from '../../../store/finops/read-sources.ts'
import { manageAccounts } from '../../clouds/account-target.ts'
import { decodeCursor, page } from '../../http/paging.ts'
import {
  errors,
  Id,
  IdParams,
  NextCursor,
  NoQuery,
  Nullable,
  Ok,
  Page,
  Time,
} from '../../http/schemas.ts'
import { deleteSource } from './delete-source.ts'

const target = async (tenant: Tenant, { id = 0 }: Record<string, number>) =>
  billingSources(tenant).get(id)

const SourceBody = Type.Object({
  id: Id,
  accountId: Nullable(Id),
  source: Nullable(Type.String({ description: 'The name of uploads; null for a cloud account.' })),
  name: Type.String(),
  completeThrough: Nullable(Type.String({ format: 'date' })),
  ingestedAt: Nullable(Time),
  createdAt: Time,
})

/** Where bills come from: cloud accounts and uploads. */
export const sourceRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/finops/sources',
    {
      config: { access: 'read', denialEvent: 'cloud.rbac_denied' },
      schema: {
        operationId: 'listBillSources',
        querystring: Type.Object(Page.properties, { additionalProperties: false }),
        response: {
          200: Type.Object({ sources: Type.Array(SourceBody), nextCursor: NextCursor }),
          ...errors(),
        },
      },
    },
    async ({ caller: { organizationId }, query: { limit = 50, cursor } }) => {
      const after = decodeCursor(cursor, 0)
      const found = await deps.store.tenant(organizationId, async (tenant) =>
        readSources(tenant, limit + 1, after),
      )
      const { rows, nextCursor } = page(found, limit)
      const sources = rows.map(({ ingestedAt, createdAt, ...source }) => ({
        ...source,
        ingestedAt: ingestedAt?.toISOString() ?? null,
        createdAt: createdAt.toISOString(),
      }))
      return { sources, nextCursor }
    },
  )

  app.delete(
    '/finops/sources/:id',
    {
      config: { ...manageAccounts, target },
      schema: {
        operationId: 'deleteBillSource',
        description: 'Deletes the source of uploads with its cost.',
        params: IdParams,
        querystring: NoQuery,
        response: { 200: Ok, ...errors(409) },
      },
    },
    async ({ caller, params: { id } }) => {
      await deleteSource(deps, caller, id)
      return { ok: true as const }
    },
  )
}
