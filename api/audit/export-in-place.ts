import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { AppError } from '../../domain/errors.ts'
import type { AuditFilter } from '../../store/audit/audit-entries.ts'
import { holdToRate, type Rate } from '../../store/driver/hold-to-rate.ts'
import type { Deps } from '../deps.ts'
import { createPlaces } from '../http/places.ts'
import { exportEntries } from './export-entries.ts'

const places = createPlaces({ ofOrganization: 1, atOnce: 4 })
/** A client that entries wait for. Otherwise a connection that reads nearly nothing keeps a place from others. */
const usual: Rate = { slowMs: 60_000, leastBytes: 1_048_576 }

type Export = { organizationId: number; filter: AuditFilter; rate?: Rate }

/**
 * Exports an organization's audit log, which reads all of it: one at a time. The log is read as fast as the client
 * takes it, for as long as that lasts, and no further once the client has left; only then is the place free.
 */
export function exportInPlace(
  deps: Pick<Deps, 'store'>,
  { raw }: Pick<FastifyReply, 'raw'>,
  { organizationId, filter, rate = usual }: Export,
): Readable {
  const over = Promise.withResolvers<void>()
  const place = places.run(organizationId, async () => over.promise)
  if (!place)
    throw new AppError(
      'rate_limited',
      'The audit log of your organization is being exported. Try again when that has ended.',
      { code: 'too_many_at_once', retryAfterSeconds: 5 },
    )
  const entries = exportEntries(deps, { organizationId, filter, gone: () => raw.destroyed })
  // Of bytes, so that a chunk counts by its size. A stream closes once the read that is under way has ended.
  const lines = Readable.from(entries, { objectMode: false }).once('close', over.resolve)
  // Fastify ends the answer with it. Before Fastify listens, it would end the process.
  lines.on('error', () => undefined)
  holdToRate(lines, rate)
  const drop = () => lines.destroy()
  // Its events have been emitted already.
  if (raw.destroyed) drop()
  else raw.once('finish', drop).once('close', drop)
  return lines
}
