import type { Tenant } from '../../store/driver/tenant.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { newSecret } from '../../domain/access/credentials.ts'
import { auditLog } from '../../store/audit/audit-log.ts'
import { callers } from '../../store/platform/callers.ts'
import { organizationSettings } from '../../store/organizations/settings.ts'
import { sessions } from '../../store/users/sessions.ts'
import { users } from '../../store/users/users.ts'
import type { Deps } from '../deps.ts'
import { ssoRequired, wrongCredentials } from './refusals.ts'
import type { Visitor } from './visitor.ts'

export type Person = { userId: number; organizationId: number }
export type NewSignIn = { cookie: string; caller: Caller }

/**
 * Opens a session with its audit entry, in a transaction that holds the person. Always a new secret,
 * so that a cookie planted by an attacker is never adopted (session fixation).
 */
export async function insertSession(
  tenant: Tenant,
  { userId }: Person,
  visitor: Visitor,
): Promise<string> {
  const secret = newSecret()
  const { ip, userAgent, requestId } = visitor
  await sessions(tenant).create({ userId, tokenHash: secret.hash, ip, userAgent })
  const label = await users(tenant).labelOf(userId)
  await auditLog(tenant, { kind: 'user', id: userId, label, ip, requestId }).record('auth.login', {
    target: { kind: 'user', id: userId, label },
  })
  return secret.plain
}

/** After the commit: the new session as the next request will see it. */
export async function readSignIn(
  deps: Deps,
  { cookie, hash }: { cookie: string; hash: Buffer },
  visitor: Visitor,
): Promise<NewSignIn> {
  const row = await callers(deps.store).bySession(hash)
  // Ended by a concurrent request.
  if (!row) throw wrongCredentials()
  const { ceiling: _, stale: __, ...person } = row
  const { ip, requestId } = visitor
  return { cookie, caller: { ...person, kind: 'session', ip, requestId } }
}

/** With single sign-on required, a password signs in Owners alone: they must be able to repair the configuration. */
export async function assertMayUsePassword(tenant: Tenant, person: Person): Promise<void> {
  if (!(await mayUsePassword(tenant, person))) throw ssoRequired()
}

export async function mayUsePassword(tenant: Tenant, { userId }: Person): Promise<boolean> {
  const { requireSso } = await organizationSettings(tenant)
  if (!requireSso) return true
  const { role } = await users(tenant).get(userId)
  return role === 'Owner'
}
