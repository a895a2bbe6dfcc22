import type { Caller } from '../../domain/access/caller.ts'
import { assertCredentialsUnlocked } from '../../domain/access/assert-credentials-unlocked.ts'
import {
  assertMayChange,
  assertMayChangeBy,
  assertMayGrant,
} from '../../domain/access/person-rules.ts'
import { rank, type Role } from '../../domain/access/roles.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import type { Db } from '../../store/connect.ts'
import { mails } from '../../store/mails/mails.ts'
import { voidUnableApprovals } from '../../store/pipelines/void-unable-approvals.ts'
import { endAccess } from '../../store/users/end-access.ts'
import { assertAnotherOwner, holdPeopleAs } from '../../store/users/hold-people.ts'
import { personMakers, type Making } from '../../store/users/person-makers.ts'
import { users, type User } from '../../store/users/users.ts'
import type { Deps } from '../deps.ts'

export type PersonChange = { name?: string; email?: string; role?: Role; active?: boolean }

/** Renames, re-addresses, promotes, demotes, deactivates or reactivates a person. */
export async function changeUser(
  deps: Deps,
  caller: Caller,
  { id, change }: { id: number; change: PersonChange },
): Promise<User> {
  const { organizationId } = caller
  // An attacker who could change the account's address would have the password reset mailed there.
  if (id === caller.userId && change.email !== undefined && caller.kind === 'session')
    assertCredentialsUnlocked(caller)
  return deps.store.tenant(organizationId, async (db) => {
    const acting = await holdPeopleAs(db, caller, 'manage_users_sso')
    const before = await users(db, organizationId).get(id)
    assertMayChange(acting, before)
    assertMayChangeBy(caller, change)
    if (change.role !== undefined) assertMayGrant(acting, change.role)
    await assertOwnerStays(db, organizationId, { before, change })
    await write(db, organizationId, { id, change })
    const after = await users(db, organizationId).get(id)
    await settle(db, caller, { before, after })
    return after
  })
}

type Changed = { before: User; after: User }

async function assertOwnerStays(
  db: Db,
  organizationId: number,
  { before, change }: { before: User; change: PersonChange },
): Promise<void> {
  const wasOwner = before.role === 'Owner' && before.active
  const ends = change.active === false || (change.role !== undefined && change.role !== 'Owner')
  if (wasOwner && ends) await assertAnotherOwner(db, organizationId, before.id)
}

async function write(
  db: Db,
  organizationId: number,
  { id, change }: { id: number; change: PersonChange },
): Promise<void> {
  const { role, ...columns } = change
  const people = users(db, organizationId)
  if (Object.keys(columns).length > 0) await people.update(id, columns)
  if (role !== undefined) await people.setManualRole(id, role)
}

/** The consequences of a change, in its transaction: links and sessions end, approvals are voided, it is audited. */
async function settle(db: Db, caller: Caller, { before, after }: Changed): Promise<void> {
  const { organizationId } = caller
  const access = endAccess(db, organizationId)
  const made = async (what: Making) =>
    personMakers(db, organizationId).note(after.id, [caller.userId], what)
  // A link in a mailbox that is no longer this person's must not open the account.
  if (isReaddressed(before, after)) {
    await access.mailedLinks(after.id)
    await tellOldAddress(db, caller, { before, after })
    await made('readdressed')
  }
  const detail: Record<string, unknown> = difference(before, after)
  if (before.active && !after.active) {
    await access.sessions(after.id)
    detail['tokensEnded'] = await access.apiTokens(after.id)
    await access.mailedLinks(after.id)
  }
  if (!before.active && after.active) await made('reactivated')
  if (rank(after.role) > rank(before.role)) await made('promoted')
  if (Object.keys(detail).length === 0) return
  if (detail['role'] || detail['active'])
    await voidUnableApprovals(db, organizationId, actorOf(caller))
  await auditLog(db, organizationId, actorOf(caller)).record('org.user_updated', {
    target: { kind: 'user', id: after.id, label: after.email ?? after.name },
    detail,
  })
}

/** Mails the old address, where an attacker who took over the account by a new address is noticed. */
async function tellOldAddress(db: Db, caller: Caller, { before, after }: Changed): Promise<void> {
  if (before.email === null) return
  await mails(db, caller.organizationId).queue('address_changed', after.id, {
    changedBy: caller.name || caller.email || 'An administrator',
    from: before.email,
    to: after.email,
  })
}

function difference(before: User, after: User): Record<string, { from: unknown; to: unknown }> {
  const fields = ['name', 'email', 'role', 'active'] as const
  return Object.fromEntries(
    fields
      .filter((field) => before[field] !== after[field])
      .map((field) => [field, { from: before[field], to: after[field] }]),
  )
}

/** Another spelling of the same address is no change. */
const isReaddressed = (before: User, after: User): boolean =>
  before.email?.toLowerCase() !== after.email?.toLowerCase()
