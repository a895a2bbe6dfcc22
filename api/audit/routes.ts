import type { Readable } from 'node:stream'
import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { auditEntries } from '../../store/audit/audit-entries.ts'
import { decodeCursor, page } from '../http/paging.ts'
import { errors, NextCursor } from '../http/schemas.ts'
import { exportInPlace } from './export-in-place.ts'
import { parseFilter } from './parse-filter.ts'
import { presentEntries } from './present-entry.ts'
import { AuditExport, AuditPage, ChainBody, EntryBody } from './schemas.ts'
import { verifyInPlace } from './verify-in-place.ts'

/** The audit log: who did what and when, newest first, and the proof that no entry was changed since. */
export const auditRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/audit',
    {
      config: { access: 'read', compressed: true },
      schema: {
        operationId: 'listAuditEntries',
        querystring: AuditPage,
        response: {
          200: Type.Object({ entries: Type.Array(EntryBody), nextCursor: NextCursor }),
          ...errors(),
        },
      },
    },
    async ({ caller: { organizationId }, query: { limit = 50, cursor, ...query } }) => {
      const before = decodeCursor(cursor, Number.MAX_SAFE_INTEGER)
      const filter = parseFilter(query)
      return deps.store.tenant(organizationId, async (tenant) => {
        const found = await auditEntries(tenant).page({ ...filter, before, limit: limit + 1 })
        const { rows, nextCursor } = page(found, limit)
        return { entries: await presentEntries(tenant, rows), nextCursor }
      })
    },
  )

  app.get(
    '/audit/verify',
    {
      config: { access: 'read' },
      schema: {
        operationId: 'verifyAuditLog',
        description:
          'Recomputes the hash chain over all sealed entries. An entry is sealed some seconds after it is written.',
        response: { 200: ChainBody, ...errors() },
      },
    },
    async ({ caller: { organizationId } }, reply) =>
      verifyInPlace(deps, organizationId, () => reply.raw.destroyed),
  )

  app.get(
    '/audit/export',
    {
      config: { access: 'read' },
      schema: {
        operationId: 'exportAuditLog',
        description: 'One entry a line, oldest first.',
        querystring: AuditExport,
        response: {
          200: {
            content: {
              'application/x-ndjson': { schema: Type.Unsafe<Readable>({ type: 'string' }) },
            },
          },
          ...errors(),
        },
      },
    },
    async ({ caller: { organizationId }, query }, reply) => {
      const filter = parseFilter(query)
      const lines = exportInPlace(deps, reply, { organizationId, filter })
      return reply.type('application/x-ndjson').send(lines)
    },
  )
}
