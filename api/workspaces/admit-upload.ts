import type { onRequestHookHandler } from 'fastify'
import { AppError } from '../../domain/errors.ts'
import { createPlaces } from '../http/places.ts'

/** As large as any JSON body may be: the number of an organization's requests bounds those. */
const largeUploadBytes = 1_048_576
/** Of one organization in one process. */
export const uploadsAtOnce = 4
/** 200 MiB of bodies in one process. */
const allUploadsAtOnce = 20

const places = createPlaces({ ofOrganization: uploadsAtOnce, atOnce: allUploadsAtOnce })

/**
 * Bounds how many large configurations are received at once, before any byte of a body is read: each
 * is held in memory until it is stored, and 100 requests of one organization would hold a gigabyte.
 */
export const admitUpload: onRequestHookHandler = (request, reply, next) => {
  // A chunked body says no length.
  const sizeBytes = Number(request.headers['content-length'] ?? Infinity)
  if (sizeBytes <= largeUploadBytes || places.take(reply, request.caller.organizationId))
    return next()
  throw new AppError(
    'rate_limited',
    `Too many configurations of more than 1 MiB are being received; of one organization ${uploadsAtOnce} are at most. Try again in a moment.`,
    { code: 'too_many_uploads', retryAfterSeconds: 1 },
  )
}
