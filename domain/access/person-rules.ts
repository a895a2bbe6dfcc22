import { AppError, conflict } from '../errors.ts'
import type { Caller } from './caller.ts'
import { rank, type Powers, type Role } from './roles.ts'

/** Nobody grants a role above their own, so that an Org Admin cannot promote a second account to Owner. */
export function assertMayGrant(caller: Powers, role: Role): void {
  if (caller.platformAdmin || rank(role) <= rank(caller.role)) return
  throw aboveOwn(`Your role (${caller.role}) cannot grant ${role}.`)
}

type Credential = Pick<Caller, 'kind'>

/**
 * An API token invites at most a Deployer. An attacker with an administrator's token would otherwise
 * invite an administrator at an address of their own, whose session outlives the token.
 */
export function assertMayInvite({ kind }: Credential, role: Role): void {
  if (kind === 'session' || rank(role) <= rank('Deployer')) return
  throw sessionRequired(`An API token invites at most a Deployer: invite a ${role} when signed in.`)
}

/** For the same reason, addresses, roles and activation are changed in a session alone. A removal deactivates. */
export function assertMayChangeBy(
  { kind }: Credential,
  change: { email?: unknown; role?: unknown; active?: unknown },
): void {
  const guarded =
    change.email !== undefined || change.role !== undefined || change.active !== undefined
  if (kind === 'session' || !guarded) return
  throw sessionRequired(
    'An API token changes no address, role or activation of a person, and removes nobody: do it when signed in.',
  )
}

const sessionRequired = (message: string) =>
  new AppError('forbidden', message, { code: 'session_required' })

/**
 * Nobody changes a person above their own role. An attacker who could set an Owner's address would
 * have the password reset mailed to it. A platform administrator is above every role, whatever
 * their role in this organization is.
 */
export function assertMayChange(caller: Powers, person: Powers): void {
  if (caller.platformAdmin) return
  if (person.platformAdmin)
    throw aboveOwn('Only a platform administrator changes a platform administrator.')
  if (rank(person.role) > rank(caller.role))
    throw aboveOwn(`Your role (${caller.role}) cannot change a person who is ${person.role}.`)
}

export const lastOwner = () =>
  conflict(
    'last_owner',
    'This is the last active Owner who has signed in: first make somebody else one who has.',
  )

const aboveOwn = (message: string) => new AppError('forbidden', message, { code: 'role_above_own' })
