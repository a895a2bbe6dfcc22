import { AppError, conflict } from '../errors.ts'
import type { Caller } from './caller.ts'
import { rank, type Powers, type Role } from './roles.ts'

/** Nobody grants a role above their own (decisions §2): an Org Admin cannot make themselves an Owner by way of another. */
export function assertMayGrant(caller: Powers, role: Role): void {
  if (caller.platformAdmin || rank(role) <= rank(caller.role)) return
  throw aboveOwn(`Your role (${caller.role}) cannot grant ${role}.`)
}

type Credential = Pick<Caller, 'kind'>

/**
 * An API token invites at most a Deployer (decisions §2). Otherwise whoever stole an administrator's
 * token would invite an administrator at an address of their own, and have a session that outlives it.
 */
export function assertMayInvite({ kind }: Credential, role: Role): void {
  if (kind === 'session' || rank(role) <= rank('Deployer')) return
  throw sessionRequired(`An API token invites at most a Deployer: invite a ${role} when signed in.`)
}

/** For the same reason: what opens an account, or what it may do, is changed in a session alone. */
export function assertMayChangeBy(
  { kind }: Credential,
  change: { email?: unknown; role?: unknown; active?: unknown },
): void {
  const guarded =
    change.email !== undefined || change.role !== undefined || change.active !== undefined
  if (kind === 'session' || !guarded) return
  throw sessionRequired(
    'An API token changes no address, role or activation of a person: do it when signed in.',
  )
}

const sessionRequired = (message: string) =>
  new AppError('forbidden', message, { code: 'session_required' })

/**
 * Nobody changes a person above their own role (decisions §2): whoever could give an
 * Owner another address could have their password reset to it. The platform
 * administrator is the highest of roles (§2.6), whatever they are in this organization.
 */
export function assertMayChange(caller: Powers, person: Powers): void {
  if (caller.platformAdmin) return
  if (person.platformAdmin)
    throw aboveOwn('Only a platform administrator changes a platform administrator.')
  if (rank(person.role) > rank(caller.role))
    throw aboveOwn(`Your role (${caller.role}) cannot change a person who is ${person.role}.`)
}

export const lastOwner = () =>
  conflict('last_owner', 'This is the last active Owner: make somebody else one first.')

const aboveOwn = (message: string) => new AppError('forbidden', message, { code: 'role_above_own' })
