import type { onRequestHookHandler } from 'fastify'
import { AppError } from '../../domain/errors.ts'
import { maxHereBytes } from '../../gateways/configurations/read-configuration.ts'
import { createAllowance } from '../http/allowance.ts'
import { createPlaces } from '../http/places.ts'

/** As large as any JSON body may be: the number of an organization's requests bounds those. */
const largeUploadBytes = 1_048_576
/** Of one organization in one process. */
export const uploadsAtOnce = 4
/** 200 MiB of bodies in one process. */
const allUploadsAtOnce = 20

const places = createPlaces({ ofOrganization: uploadsAtOnce, atOnce: allUploadsAtOnce })

/** Of an organization in one process: what is read in a process of its own (upload-route.ts) still costs this one. */
export const uploadAllowance = createAllowance({ most: 16 * 1_048_576, perSecond: 256 * 1_024 })

/**
 * Bounds how many large configurations are received at once, before any byte of a body is read: each
 * is held in memory until it is stored, and 100 requests of one organization would hold a gigabyte. And
 * how many bytes in a time, for which other organizations would wait.
 */
export const admitUpload: onRequestHookHandler = (request, reply, next) => {
  const { organizationId } = request.caller
  // A chunked body says no length.
  const sizeBytes = Number(request.headers['content-length'] ?? Infinity)
  if (sizeBytes <= maxHereBytes) return next()
  const retryAfterSeconds = uploadAllowance.waitSecondsOf(organizationId)
  if (retryAfterSeconds > 0)
    throw new AppError(
      'rate_limited',
      'Your organization has sent more than 16 MiB of configurations in the last seconds. Wait and try again.',
      { code: 'too_many_uploads', retryAfterSeconds },
    )
  if (sizeBytes > largeUploadBytes && !places.take(reply, organizationId))
    throw new AppError(
      'rate_limited',
      `Too many configurations of more than 1 MiB are being received; of one organization ${uploadsAtOnce} are at most. Try again in a moment.`,
      { code: 'too_many_uploads', retryAfterSeconds: 1 },
    )
  return next()
}
