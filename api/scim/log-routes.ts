import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type, type Static } from 'typebox'
import { scimLog, type ScimLogEntry } from '../../store/scim/scim-log.ts'
import { decodeCursor, page } from '../http/paging.ts'
import { errors, Id, NextCursor, Nullable, OneOf, Page, Time } from '../http/schemas.ts'

const LogEntry = Type.Object({
  id: Type.Integer(),
  at: Time,
  token: Type.Object({ id: Nullable(Id), name: Type.String() }),
  request: Type.Object({ method: Type.String(), path: Type.String() }),
  outcome: OneOf(['success', 'failure']),
  status: Type.Integer(),
  scimType: Nullable(Type.String()),
  /** What the identity provider was told. */
  detail: Nullable(Type.String()),
  /** What was changed; `id` is SCIM's id. */
  target: Nullable(
    Type.Object({ kind: OneOf(['user', 'group']), id: Type.String(), label: Type.String() }),
  ),
  changes: Type.Record(Type.String(), Type.Object({ from: Type.Unknown(), to: Type.Unknown() })),
  requestId: Type.String(),
})

/** Every list counts down from here. */
const newest = Number.MAX_SAFE_INTEGER

/** The provisioning log: every change and every refusal of an identity provider's requests. */
export const scimLogRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/org/scim/log',
    {
      config: { access: 'manage_users_sso', sessionOnly: true },
      schema: {
        operationId: 'listScimLog',
        querystring: Type.Object({
          ...Page.properties,
          outcome: Type.Optional(OneOf(['success', 'failure'])),
        }),
        response: {
          200: Type.Object({ entries: Type.Array(LogEntry), nextCursor: NextCursor }),
          ...errors(),
        },
      },
    },
    async ({ caller: { organizationId }, query: { limit = 50, cursor, outcome } }) => {
      const before = decodeCursor(cursor, newest)
      const found = await app.deps.store.tenant(organizationId, async (tenant) =>
        scimLog(tenant).list({
          limit: limit + 1,
          before,
          ...(outcome && { outcome }),
        }),
      )
      const { rows, nextCursor } = page(found, limit)
      return { entries: rows.map(present), nextCursor }
    },
  )
}

const present = (entry: ScimLogEntry): Static<typeof LogEntry> => ({
  id: entry.id,
  at: entry.at.toISOString(),
  token: { id: entry.tokenId, name: entry.tokenName },
  request: { method: entry.method, path: entry.path },
  outcome: entry.status < 400 ? 'success' : 'failure',
  status: entry.status,
  scimType: entry.scimType,
  detail: entry.detail,
  target:
    entry.targetId === null
      ? null
      : {
          kind: entry.targetKind === 'group' ? 'group' : 'user',
          id: entry.targetId,
          label: entry.targetLabel ?? '',
        },
  changes: entry.changes,
  requestId: entry.requestId,
})
