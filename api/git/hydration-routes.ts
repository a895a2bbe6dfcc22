import type { Tenant } from '../../store/driver/tenant.ts'
import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { gitHydrations } from '../../store/git/git-hydrations.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import { decodeCursor, maxKey, page } from '../http/paging.ts'
import { Body, errors, Id, IdParams, NextCursor, OneOf, Page } from '../http/schemas.ts'
import { HydrationBody, HydrationDetail } from './hydration-schemas.ts'
import { presentHydration, presentHydrationDetail } from './present-hydration.ts'
import { resolveHydration } from './resolve-hydration.ts'
import { retryHydration } from './retry-hydration.ts'

const Params = Type.Object({ id: Id, hydrationId: Id })
const Answer = Type.Object({ ok: Type.Literal(true), hydration: HydrationBody })

const target = async (tenant: Tenant, { id = 0 }: Record<string, number>) =>
  workspaces(tenant).get(id)
const targetHydration = async (
  tenant: Tenant,
  { id = 0, hydrationId = 0 }: Record<string, number>,
) => gitHydrations(tenant).get(id, hydrationId)

/** What was written to a workspace's repository, and what waits for a decision. */
export const hydrationRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/workspaces/:id/hydrations',
    {
      config: { access: 'read', target },
      schema: {
        operationId: 'listHydrations',
        params: IdParams,
        querystring: Page,
        response: {
          200: Type.Object({ hydrations: Type.Array(HydrationBody), nextCursor: NextCursor }),
          ...errors(),
        },
      },
    },
    async ({ caller: { organizationId }, params: { id }, query: { limit = 50, cursor } }) => {
      const before = decodeCursor(cursor, maxKey)
      const found = await deps.store.tenant(organizationId, async (tenant) => {
        await workspaces(tenant).get(id)
        return gitHydrations(tenant).list(id, limit + 1, before)
      })
      const { rows, nextCursor } = page(found, limit)
      return { hydrations: rows.map(presentHydration), nextCursor }
    },
  )

  app.get(
    '/workspaces/:id/hydrations/:hydrationId',
    {
      config: { access: 'read', target: targetHydration },
      schema: {
        operationId: 'getHydration',
        description:
          'With the files that somebody else changed: at most 500, of 64 KiB each and 384 KiB together. A file that is omitted is named alone: its contents are in the repository and in the configuration.',
        params: Params,
        response: { 200: Type.Object({ hydration: HydrationDetail }), ...errors() },
      },
    },
    async ({ caller: { organizationId }, params: { id, hydrationId } }) => {
      const row = await deps.store.tenant(organizationId, async (tenant) =>
        gitHydrations(tenant).getShown(id, hydrationId),
      )
      return { hydration: presentHydrationDetail(deps.keyring, organizationId, row) }
    },
  )

  app.post(
    '/workspaces/:id/hydrations/:hydrationId/resolve',
    {
      config: { access: 'mutate_infra', target: targetHydration },
      schema: {
        operationId: 'resolveHydration',
        description:
          'Decides about files that somebody else changed in the repository: ours writes over them, theirs makes them a new configuration version.',
        params: Params,
        body: Body({ take: OneOf(['ours', 'theirs']) }),
        response: { 200: Answer, ...errors(409) },
      },
    },
    async ({ caller, params: { id, hydrationId }, body: { take } }) => {
      const row = await resolveHydration(deps, caller, { id, hydrationId, take })
      return { ok: true as const, hydration: presentHydration(row) }
    },
  )

  app.post(
    '/workspaces/:id/hydrations/:hydrationId/retry',
    {
      config: { access: 'mutate_infra', target: targetHydration },
      schema: {
        operationId: 'retryHydration',
        description: 'Tries a failed hydrate again, once its cause is gone.',
        params: Params,
        response: { 200: Answer, ...errors(409) },
      },
    },
    async ({ caller, params: { id, hydrationId } }) => {
      const row = await retryHydration(deps, caller, { id, hydrationId })
      return { ok: true as const, hydration: presentHydration(row) }
    },
  )
}
