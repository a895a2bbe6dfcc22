import { unwrap, type Tenant } from '../driver/tenant.ts'
import { may, type Caller } from '../../domain/access/caller.ts'
import { lastOwner } from '../../domain/access/person-rules.ts'
import { lowerOf, type Capability } from '../../domain/access/roles.ts'
import { AppError } from '../../domain/errors.ts'
import { askPrepared } from '../driver/ask-prepared.ts'
import { users } from './users.ts'

/**
 * Serializes changes of what people may do until the transaction ends, so that of two Owners who
 * demote each other concurrently one remains. Rows that refer to the organization can still be
 * added.
 */
export async function holdPeople(tenant: Tenant): Promise<void> {
  const { db, organizationId } = unwrap(tenant)

  await askPrepared(db, {
    name: 'hold-people',
    text: 'select id from organizations where id = $1 for no key update',
    values: [organizationId],
  })
}

/**
 * Takes that lock and reads the caller again: a caller who was demoted while this request waited
 * must not act with the old role.
 */
export async function holdPeopleAs(
  tenant: Tenant,
  caller: Caller,
  capability: Capability,
): Promise<Caller> {
  const { userId } = caller
  await holdPeople(tenant)
  const [now] = await users(tenant).listByIds([userId])
  const acting = {
    ...caller,
    role: lowerOf(caller.role, now?.role ?? 'Viewer'),
    platformAdmin: caller.platformAdmin && now?.platformAdmin === true,
  }
  if (now?.active && may(acting, capability)) return acting
  throw new AppError('forbidden', `Your role (${acting.role}) lacks ${capability}.`)
}

/**
 * Refuses a change that would leave the organization without an active Owner who has signed in: an
 * invitation may have gone to an address that nobody reads. An Owner who never signed in may leave
 * while any other remains. The people must be locked.
 */
export async function assertAnotherOwner(tenant: Tenant, userId: number): Promise<void> {
  const people = users(tenant)
  const others = await people.listAble({
    lowest: 'Owner',
    signedIn: await people.hasSignedIn(userId),
    except: [userId],
    limit: 1,
  })
  if (others.length === 0) throw lastOwner()
}
