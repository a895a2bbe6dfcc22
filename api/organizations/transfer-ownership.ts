import type { Caller } from '../../domain/access/caller.ts'
import { endAccess } from '../../app/users/end-access.ts'
import { conflict, invalid } from '../../domain/errors.ts'
import { verifyPassword } from '../../gateways/passwords/passwords.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { holdPeopleAs } from '../../store/users/hold-people.ts'
import { personMakers } from '../../store/users/person-makers.ts'
import { users } from '../../store/users/users.ts'
import type { Deps } from '../deps.ts'
import { wrongOwnPassword } from '../sign-in/refusals.ts'
import { asPasswordTry } from '../sign-in/as-try.ts'
import { inPasswordTurn } from '../sign-in/password-turns.ts'

/**
 * Makes somebody else the Owner; the old Owner becomes an Org Admin. It needs the password, so that
 * an attacker at a session that was left open cannot give the organization away.
 */
export async function transferOwnership(
  deps: Deps,
  caller: Caller,
  { userId, password }: { userId: number; password: string },
): Promise<void> {
  const { organizationId } = caller
  const target = await deps.store.tenant(organizationId, async (tenant) =>
    users(tenant).get(userId),
  )
  if (userId === caller.userId)
    throw invalid('userId: is yourself', [{ path: 'userId', message: 'is yourself' }])
  await verifyOwnPassword(deps, caller, password)

  await deps.store.tenant(organizationId, async (tenant) => {
    const { role } = await holdPeopleAs(tenant, caller, 'manage_billing_transfer')
    const people = users(tenant)
    const heir = await people.get(userId)
    if (!heir.active) throw conflict('user_inactive', 'This person is deactivated.')
    // Nobody may read the address, or have the account, to which the organization would go for good.
    if (!(await people.hasSignedIn(userId)))
      throw conflict(
        'user_not_signed_in',
        'This person has never signed in: they must do so first.',
      )
    await people.setManualRole(userId, 'Owner')
    if (heir.role !== 'Owner') await personMakers(tenant).noteByCaller(userId, caller, 'promoted')
    await endAccess(tenant).shownInvitations(userId)
    // A platform administrator who is no Owner gives nothing away and keeps their role.
    if (role === 'Owner') {
      await people.setManualRole(caller.userId, 'Org Admin')
      await endAccess(tenant).invitationsBy(caller.userId)
    }
    await auditLog(tenant, actorOf(caller)).record('org.ownership_transferred', {
      target: { kind: 'user', id: userId, label: target.email ?? target.name },
      detail: { from: caller.userId, to: userId },
    })
  })
}

/** Counts towards the lock of sign-in, so that an attacker cannot guess the password here instead. */
async function verifyOwnPassword(deps: Deps, caller: Caller, password: string): Promise<void> {
  const { organizationId, userId, email, ip } = caller
  const hash = await deps.store.tenant(organizationId, async (tenant) =>
    users(tenant).passwordHash(userId),
  )
  const right = await inPasswordTurn(ip, async () =>
    asPasswordTry(deps.store.platform, email ?? `user ${userId}`, async () =>
      verifyPassword(hash, password),
    ),
  )
  if (right) return
  await deps.store.tenant(organizationId, async (tenant) =>
    auditLog(tenant, actorOf(caller)).record('org.ownership_transferred', {
      outcome: 'failure',
      detail: { because: 'wrong password' },
    }),
  )
  throw wrongOwnPassword()
}
