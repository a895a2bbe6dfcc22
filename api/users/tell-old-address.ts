import { addressChangedLetter } from '../../gateways/mail/letters/address-changed.ts'
import type { Deps } from '../deps.ts'

type Addressed = { id: number; email: string | null }

/**
 * Whoever takes an account over by changing its address is noticed at the old one
 * (decisions §2). The change stands by now: a mail server that is away does not undo it.
 */
export async function tellOldAddress(
  deps: Deps,
  changedBy: { organizationName: string; name: string; email?: string | null },
  { before, after }: { before: Addressed; after: Addressed },
): Promise<void> {
  if (before.email === null) return
  try {
    const letter = addressChangedLetter({
      organizationName: changedBy.organizationName,
      changedBy: changedBy.name || changedBy.email || 'An administrator',
      from: before.email,
      to: after.email,
    })
    await deps.mail.send({ to: before.email, ...letter })
  } catch (error) {
    deps.log.warn({ err: error, userId: before.id }, 'no mail to the old address')
  }
}
