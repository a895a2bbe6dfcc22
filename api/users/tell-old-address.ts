import type { Caller } from '../../domain/access/caller.ts'
import { addressChangedLetter } from '../../gateways/mail/letters/address-changed.ts'
import type { User } from '../../store/users/users.ts'
import type { Deps } from '../deps.ts'

/**
 * Whoever takes an account over by changing its address is noticed at the old one
 * (decisions §2). The change stands by now: a mail server that is away does not undo it.
 */
export async function tellOldAddress(
  deps: Deps,
  caller: Caller,
  { before, after }: { before: User; after: User },
): Promise<void> {
  if (before.email === null) return
  try {
    const letter = addressChangedLetter({
      organizationName: caller.organizationName,
      changedBy: caller.name || caller.email || 'An administrator',
      from: before.email,
      to: after.email,
    })
    await deps.mail.send({ to: before.email, ...letter })
  } catch (error) {
    deps.log.warn({ err: error, userId: before.id }, 'no mail to the old address')
  }
}
