import { AppError } from '../../domain/errors.ts'
import type { PlatformDb } from '../../store/connect.ts'
import { signIn } from '../../store/platform/sign-in.ts'

/** Counts a try before anything is verified. Of five tries the sixth is refused, right or wrong. */
export async function takeTry(db: PlatformDb, subject: Buffer): Promise<void> {
  const lockedSeconds = await signIn(db).takeTry(subject)
  if (lockedSeconds > 0)
    throw new AppError('rate_limited', 'Too many failed tries. Wait and try again.', {
      code: 'locked',
      retryAfterSeconds: lockedSeconds,
    })
}
