import type { Caller } from '../../domain/access/caller.ts'
import { hashCredential } from '../../domain/access/credentials.ts'
import { AppError, conflict, invalid } from '../../domain/errors.ts'
import { verifyPassword } from '../../gateways/passwords/passwords.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { signIn } from '../../store/platform/sign-in.ts'
import { holdPeopleAs } from '../../store/users/hold-people.ts'
import { users } from '../../store/users/users.ts'
import type { Deps } from '../deps.ts'

/**
 * Hands the organization to somebody else; the old Owner becomes an Org Admin (decisions
 * §2). It asks for the password, so that a session left open does not give it away.
 */
export async function transferOwnership(
  deps: Deps,
  caller: Caller,
  { userId, password }: { userId: number; password: string },
): Promise<void> {
  const { organizationId } = caller
  const target = await deps.store.tenant(organizationId, async (db) =>
    users(db, organizationId).get(userId),
  )
  if (userId === caller.userId)
    throw invalid('userId: is yourself', [{ path: 'userId', message: 'is yourself' }])
  await verifyOwnPassword(deps, caller, password)

  await deps.store.tenant(organizationId, async (db) => {
    await holdPeopleAs(db, caller, 'manage_billing_transfer')
    const people = users(db, organizationId)
    const heir = await people.get(userId)
    if (!heir.active) throw conflict('user_inactive', 'This person is deactivated.')
    await people.setManualRole(userId, 'Owner')
    await people.setManualRole(caller.userId, 'Org Admin')
    await auditLog(db, organizationId, actorOf(caller)).record('org.ownership_transferred', {
      target: { kind: 'user', id: userId, label: target.email ?? target.name },
      detail: { from: caller.userId, to: userId },
    })
  })
}

/** Counts against the lock of sign-in: else this would be a second place to guess the same password at. */
async function verifyOwnPassword(deps: Deps, caller: Caller, password: string): Promise<void> {
  const { organizationId, userId, email } = caller
  const tries = signIn(deps.store.platform)
  const subject = hashCredential(`password:${(email ?? `user ${userId}`).trim().toLowerCase()}`)
  const lockedSeconds = await tries.takeTry(subject)
  if (lockedSeconds > 0)
    throw new AppError('rate_limited', 'Too many wrong passwords. Wait and try again.', {
      code: 'locked',
      retryAfterSeconds: lockedSeconds,
    })
  const hash = await deps.store.tenant(organizationId, async (db) =>
    users(db, organizationId).passwordHash(userId),
  )
  if (await verifyPassword(hash, password)) return tries.clearTries(subject)
  await deps.store.tenant(organizationId, async (db) =>
    auditLog(db, organizationId, actorOf(caller)).record('org.ownership_transferred', {
      outcome: 'failure',
      detail: { because: 'wrong password' },
    }),
  )
  throw new AppError('forbidden', 'The password is wrong.', { code: 'invalid_credentials' })
}
