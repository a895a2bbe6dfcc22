import type { Caller } from '../../domain/access/caller.ts'
import { newSecret } from '../../domain/access/credentials.ts'
import { auditLog } from '../../store/audit/audit-log.ts'
import type { Db } from '../../store/connect.ts'
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
  db: Db,
  { userId, organizationId }: Person,
  visitor: Visitor,
): Promise<string> {
  const secret = newSecret()
  const { ip, userAgent, requestId } = visitor
  await sessions(db, organizationId).create({ userId, tokenHash: secret.hash, ip, userAgent })
  const label = await users(db, organizationId).labelOf(userId)
  await auditLog(db, organizationId, { kind: 'user', id: userId, label, ip, requestId }).record(
    'auth.login',
    { target: { kind: 'user', id: userId, label } },
  )
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
export async function assertMayUsePassword(db: Db, person: Person): Promise<void> {
  if (!(await mayUsePassword(db, person))) throw ssoRequired()
}

export async function mayUsePassword(db: Db, { userId, organizationId }: Person): Promise<boolean> {
  const { requireSso } = await organizationSettings(db, organizationId)
  if (!requireSso) return true
  const { role } = await users(db, organizationId).get(userId)
  return role === 'Owner'
}
