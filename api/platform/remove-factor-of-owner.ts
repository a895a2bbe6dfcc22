import { asTenant } from '../../store/driver/tenant.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { notFound } from '../../domain/errors.ts'
import { actorOf } from '../../store/audit/audit-log.ts'
import { organizations } from '../../store/platform/organizations.ts'
import { takeOffSecondFactor } from '../../app/users/take-off-second-factor.ts'
import { users } from '../../store/users/users.ts'
import type { Deps } from '../deps.ts'
import { ownFactor } from '../users/remove-factor-of-user.ts'

/**
 * For an Owner who is locked out: nobody within the organization may be above them. Addressed by
 * e-mail, because platform administration cannot list an organization's people. Anybody who is no
 * Owner is not found here: their own organization can do it.
 */
export async function removeFactorOfOwner(
  deps: Deps,
  caller: Caller,
  { id, email }: { id: number; email: string },
): Promise<void> {
  await deps.store.platform.transaction(async (trx) => {
    if (!(await organizations(trx).getForUpdate(id))) throw notFound()
    const [person] = await users(asTenant(trx, id)).listByEmails([email])
    if (!person || (person.role !== 'Owner' && !person.platformAdmin)) throw notFound()
    if (id === caller.organizationId && person.id === caller.userId) throw ownFactor()
    await takeOffSecondFactor(asTenant(trx, id), {
      person,
      // The administrator's id belongs to another organization; here it would name somebody else.
      actor: { ...actorOf(caller), id: null },
      removedBy: caller.name || caller.email || 'A platform administrator',
    })
  })
}
