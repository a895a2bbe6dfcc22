import { normalEmail, passwordTries } from '../../domain/access/try-subjects.ts'
import { AppError } from '../../domain/errors.ts'
import type { PlatformDb } from '../../store/driver/connect.ts'
import { signIn } from '../../store/platform/sign-in.ts'
import { signInTries } from '../../store/platform/sign-in-tries.ts'
import { triesInFlight } from './refusals.ts'

/**
 * Takes one of five tries before anything is verified, and ends it by what `verify` returns: a
 * falsy value was wrong. After five wrong ones the sixth is refused, right or wrong. Of right
 * ones at the same moment, one too many is told to come again in a second. A right one sets the count back.
 */
export const asTry = async <T>(
  db: PlatformDb,
  subject: Buffer,
  verify: () => Promise<T>,
): Promise<T> => asTryThat(db, subject, { verify, setsBack: async () => true })

async function asTryThat<T>(
  db: PlatformDb,
  subject: Buffer,
  { verify, setsBack }: { verify: () => Promise<T>; setsBack: () => Promise<boolean> },
): Promise<T> {
  const tries = signInTries(db)
  const taken = await tries.take(subject)
  if (taken === 'busy') throw triesInFlight()
  if (taken !== 'taken')
    throw new AppError('rate_limited', 'Too many failed tries. Wait and try again.', {
      code: 'locked',
      retryAfterSeconds: taken.lockedSeconds,
    })
  let verified: T
  let right: 'succeeded' | 'released' = 'succeeded'
  try {
    verified = await verify()
    if (verified && !(await setsBack())) right = 'released'
  } catch (error) {
    // A wrong one that ends in a fault of ours must not be a try for nothing. Who waited for a connection in vain has
    // not tried: that comes before the check.
    const hasWaited = error instanceof AppError && error.code === 'busy'
    await tries.end(subject, hasWaited ? 'released' : 'failed')
    throw error
  }
  await tries.end(subject, verified ? right : 'failed')
  return verified
}

/**
 * A try of a password of this address. The tries of all accounts of an address are counted together, in whatever
 * organization they are, and an address is not proven when an account gets it. So where several accounts have it, none
 * of them sets back the count of the others; a mailed link does (`resetPassword`).
 */
export const asPasswordTry = async <T>(
  db: PlatformDb,
  email: string,
  verify: () => Promise<T>,
): Promise<T> =>
  asTryThat(db, passwordTries(email), {
    verify,
    setsBack: async () => signIn(db).hasOneAccount(normalEmail(email)),
  })
