import type { Caller } from '../../domain/access/caller.ts'
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
    await deps.mail.send({
      to: before.email,
      subject: `Your address at ${caller.organizationName} was changed`,
      text: [
        `${caller.name || caller.email || 'An administrator'} changed the address of your account`,
        `at ${caller.organizationName} from ${before.email} to ${after.email ?? 'none'}.`,
        '',
        'You sign in with the new address from now on. Invitations and password resets that were',
        'sent to this one no longer work. If you did not expect this, tell your administrator.',
        '',
      ].join('\n'),
    })
  } catch (error) {
    deps.log.warn({ err: error, userId: before.id }, 'no mail to the old address')
  }
}
