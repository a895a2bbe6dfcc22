import { AppError } from '../../../domain/errors.ts'

/** Of one API process: each upload holds a few MiB. */
const ofProcess = 16
/** Of one organization, also over all API processes (receive-upload.ts). */
export const ofOrganization = 2

/**
 * The uploads that this process receives. Counted before the body is read, so that one organization with
 * connections that send nothing takes its own places and no others.
 */
export function receivingPlaces() {
  const taken = new Map<number, number>()
  let total = 0

  return {
    async hold<T>(organizationId: number, receive: () => Promise<T>): Promise<T> {
      const own = taken.get(organizationId) ?? 0
      if (own >= ofOrganization) throw organizationIsBusy()
      if (total >= ofProcess) throw processIsBusy()
      taken.set(organizationId, own + 1)
      total += 1
      try {
        return await receive()
      } finally {
        total -= 1
        const left = (taken.get(organizationId) ?? 1) - 1
        if (left === 0) taken.delete(organizationId)
        else taken.set(organizationId, left)
      }
    },
  }
}

export const organizationIsBusy = () =>
  new AppError(
    'rate_limited',
    `${ofOrganization} uploads of your organization are being received. Try again once one has ended.`,
    { code: 'too_many_uploads', retryAfterSeconds: 10 },
  )

const processIsBusy = () =>
  new AppError('rate_limited', 'Too many uploads are being received. Try again in a moment.', {
    code: 'too_many_uploads',
    retryAfterSeconds: 5,
  })
