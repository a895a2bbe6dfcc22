import { AppError } from '../../domain/errors.ts'
import type { PlatformDb } from '../../store/driver/connect.ts'
import { signInTries } from '../../store/platform/sign-in-tries.ts'

/**
 * Takes one of five tries before anything is verified, and ends it by what `verify` returns: a
 * falsy value was wrong. After five wrong ones the sixth is refused, right or wrong. Of right
 * ones at the same moment, one too many is told to come again in a second.
 */
export async function asTry<T>(
  db: PlatformDb,
  subject: Buffer,
  verify: () => Promise<T>,
): Promise<T> {
  const tries = signInTries(db)
  const taken = await tries.take(subject)
  if (taken === 'busy')
    throw new AppError('rate_limited', 'Other tries are being checked. Try again in a second.', {
      code: 'tries_in_flight',
      retryAfterSeconds: 1,
    })
  if (taken !== 'taken')
    throw new AppError('rate_limited', 'Too many failed tries. Wait and try again.', {
      code: 'locked',
      retryAfterSeconds: taken.lockedSeconds,
    })
  let verified: T
  try {
    verified = await verify()
  } catch (error) {
    // A wrong one that ends in a fault of ours must not be a try for nothing.
    await tries.end(subject, 'failed')
    throw error
  }
  await tries.end(subject, verified ? 'succeeded' : 'failed')
  return verified
}
