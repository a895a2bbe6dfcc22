import { may, type Caller } from '../../domain/access/caller.ts'
import { lastOwner } from '../../domain/access/person-rules.ts'
import { lowerOf, type Capability } from '../../domain/access/roles.ts'
import { AppError } from '../../domain/errors.ts'
import type { Db } from '../connect.ts'
import { askPrepared } from '../ask-prepared.ts'
import { users } from './users.ts'

/**
 * Whoever changes what people may do holds this until the transaction ends, so that of
 * two Owners who demote each other at once one remains. It does not keep others from
 * adding rows that refer to the organization.
 */
export async function holdPeople(db: Db, organizationId: number): Promise<void> {
  await askPrepared(db, {
    name: 'hold-people',
    text: 'select id from organizations where id = $1 for no key update',
    values: [organizationId],
  })
}

/**
 * Holds the people and reads the caller again: whoever was demoted while this request
 * waited for its turn must not act on the role that they had when it came.
 */
export async function holdPeopleAs(
  db: Db,
  caller: Caller,
  capability: Capability,
): Promise<Caller> {
  const { organizationId, userId } = caller
  await holdPeople(db, organizationId)
  const [now] = await users(db, organizationId).listByIds([userId])
  const acting = {
    ...caller,
    role: lowerOf(caller.role, now?.role ?? 'Viewer'),
    platformAdmin: caller.platformAdmin && now?.platformAdmin === true,
  }
  if (now?.active && may(acting, capability)) return acting
  throw new AppError('forbidden', `Your role (${acting.role}) lacks ${capability}.`)
}

/** Refuses a change that would leave the organization without an active Owner. The people must be locked. */
export async function assertAnotherOwner(
  db: Db,
  organizationId: number,
  userId: number,
): Promise<void> {
  const others = await users(db, organizationId).listAble({
    lowest: 'Owner',
    except: [userId],
    limit: 1,
  })
  if (others.length === 0) throw lastOwner()
}
