import type { FastifyReply } from 'fastify'
import { AppError } from '../../domain/errors.ts'
import { createPlaces } from '../http/places.ts'

/** A smaller one costs what any page costs. */
const largeDownloadBytes = 1_048_576
/** Of one organization in one process. */
export const downloadsAtOnce = 4
/** 64 MiB at 110 KB/s. */
const patienceMs = 600_000

const places = createPlaces({ ofOrganization: downloadsAtOnce })

/**
 * Bounds how many large states and configurations one organization reads at once: 4 ms of CPU for each
 * megabyte are little, and are many for somebody who asks without end. What runs read is not counted,
 * since they have a bound of their own. A reader who takes nothing for minutes is cut off.
 */
export function admitDownload(
  reply: FastifyReply,
  { organizationId, sizeBytes }: { organizationId: number; sizeBytes: number },
): void {
  if (sizeBytes <= largeDownloadBytes || reply.request.runCaller) return
  if (!places.take(reply, organizationId))
    throw new AppError(
      'rate_limited',
      `Your organization is reading ${downloadsAtOnce} states or configurations of more than 1 MiB, and no more are sent at once. Try again in a moment.`,
      { code: 'too_many_downloads', retryAfterSeconds: 2 },
    )
  // Its `close` has been emitted already, so the timer would not be cleared.
  if (reply.raw.destroyed) return
  const timer = setTimeout(() => reply.raw.destroy(), patienceMs).unref()
  reply.raw.once('close', () => clearTimeout(timer))
}
