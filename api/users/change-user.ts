import type { Tenant } from '../../store/driver/tenant.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { assertCredentialsUnlocked } from '../../domain/access/assert-credentials-unlocked.ts'
import {
  assertMayChange,
  assertMayChangeBy,
  assertMayGrant,
} from '../../domain/access/person-rules.ts'
import { rank, type Role } from '../../domain/access/roles.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { mails } from '../../store/mails/mails.ts'
import { voidUnableApprovals } from '../../app/runs/void-unable-approvals.ts'
import { endAccess } from '../../app/users/end-access.ts'
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
  return deps.store.tenant(organizationId, async (tenant) => {
    const acting = await holdPeopleAs(tenant, caller, 'manage_users_sso')
    const people = users(tenant)
    const before = await people.get(id)
    assertMayChange(acting, before)
    assertMayChangeBy(caller, change)
    if (change.role !== undefined) assertMayGrant(acting, change.role)
    await assertOwnerStays(tenant, { before, change })
    const { role: to } = change
    const manualRole = to && { from: await people.manualRole(id), to }
    await write(tenant, { id, change })
    const after = await people.get(id)
    await settle(tenant, caller, { before, after, manualRole, config: deps.config })
    return after
  })
}

type Changed = {
  before: User
  after: User
  manualRole: { from: Role | null; to: Role } | undefined
  config: Deps['config']
}

async function assertOwnerStays(
  tenant: Tenant,
  { before, change }: { before: User; change: PersonChange },
): Promise<void> {
  const wasOwner = before.role === 'Owner' && before.active
  const ends = change.active === false || (change.role !== undefined && change.role !== 'Owner')
  if (wasOwner && ends) await assertAnotherOwner(tenant, before.id)
}

async function write(
  tenant: Tenant,
  { id, change }: { id: number; change: PersonChange },
): Promise<void> {
  const { role, ...columns } = change
  const people = users(tenant)
  if (Object.keys(columns).length > 0) await people.update(id, columns)
  if (role !== undefined) await people.setManualRole(id, role)
}

/** The consequences of a change, in its transaction: links and sessions end, approvals are voided, it is audited. */
async function settle(
  tenant: Tenant,
  caller: Caller,
  { before, after, manualRole, config }: Changed,
): Promise<void> {
  const access = endAccess(tenant)
  const made = async (what: Making) => personMakers(tenant).noteByCaller(after.id, caller, what)
  // A link in a mailbox that is no longer this person's must not open the account.
  if (isReaddressed(before, after)) {
    await access.mailedLinks(after.id)
    await tellOldAddress(tenant, caller, { before, after })
    await made('readdressed')
  }
  const detail: Record<string, unknown> = difference(before, after)
  if (before.active && !after.active) {
    await access.sessions(after.id)
    detail['tokensEnded'] = await access.apiTokens(after.id)
    await access.mailedLinks(after.id)
  }
  if (!before.active && after.active) await made('reactivated')
  // A grant at or below what a group grants changes no role now, but it stays when the group's role ends.
  if (manualRole && manualRole.from !== manualRole.to) {
    detail['manualRole'] = manualRole
    if (rank(manualRole.to) > rank(manualRole.from ?? 'Viewer')) await made('promoted')
  }
  if (rank(after.role) > rank(before.role)) {
    // Who took the link while it was one of a lower role must not come in with the higher one.
    await access.shownInvitations(after.id)
    if (after.invited && config.smtpUrl === undefined) await access.mailedLinks(after.id)
  }
  if (rank(after.role) < rank(before.role) || (before.active && !after.active))
    await access.invitationsBy(after.id)
  if (Object.keys(detail).length === 0) return
  if (detail['manualRole'] || detail['active']) await voidUnableApprovals(tenant, actorOf(caller))
  await auditLog(tenant, actorOf(caller)).record('org.user_updated', {
    target: { kind: 'user', id: after.id, label: after.email ?? after.name },
    detail,
  })
}

/** Mails the old address, where an attacker who took over the account by a new address is noticed. */
async function tellOldAddress(
  tenant: Tenant,
  caller: Caller,
  { before, after }: Pick<Changed, 'before' | 'after'>,
): Promise<void> {
  if (before.email === null) return
  await mails(tenant).queue('address_changed', after.id, {
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
