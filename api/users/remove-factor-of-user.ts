import type { Caller } from '../../domain/access/caller.ts'
import { assertMayChange } from '../../domain/access/person-rules.ts'
import { AppError } from '../../domain/errors.ts'
import { actorOf } from '../../store/audit/audit-log.ts'
import { holdPeopleAs } from '../../store/users/hold-people.ts'
import { takeOffSecondFactor } from '../../app/users/take-off-second-factor.ts'
import { users } from '../../store/users/users.ts'
import type { Deps } from '../deps.ts'

/** For somebody who lost their phone and their recovery codes, or whose account somebody else locked. */
export async function removeFactorOfUser(deps: Deps, caller: Caller, id: number): Promise<void> {
  const { organizationId } = caller
  // A session left open, or one of an identity provider, would remove what stands beside the password.
  if (id === caller.userId) throw ownFactor()
  await deps.store.tenant(organizationId, async (tenant) => {
    const acting = await holdPeopleAs(tenant, caller, 'manage_users_sso')
    const person = await users(tenant).get(id)
    assertMayChange(acting, person)
    await takeOffSecondFactor(tenant, {
      person,
      actor: actorOf(caller),
      removedBy: caller.name || caller.email || 'An administrator',
    })
  })
}

export const ownFactor = () =>
  new AppError('forbidden', 'Remove your own second factor in your account, with a code of it.', {
    code: 'own_second_factor',
  })
