import { hashCredential, newSecret } from '../../domain/access/credentials.ts'
import { AppError, invalid } from '../../domain/errors.ts'
import { verifyPassword } from '../../gateways/passwords/passwords.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { callers } from '../../store/platform/callers.ts'
import { signIn, type SignInCandidate } from '../../store/platform/sign-in.ts'
import { sessions } from '../../store/users/sessions.ts'
import type { Deps } from '../deps.ts'
import type { Caller } from '../../domain/access/caller.ts'

export type Visitor = { ip: string; userAgent: string; requestId: string }
export type LoginInput = { email: string; password: string; org?: string }
export type NewSignIn = { cookie: string; caller: Caller }

/**
 * Password sign-in (decisions §2). Its cost and its answer are the same whether the
 * address has no row, one, or two, so neither tells whether it exists (§5.5).
 */
export async function logIn(deps: Deps, input: LoginInput, visitor: Visitor): Promise<NewSignIn> {
  const tries = signIn(deps.store.platform)
  const subject = hashCredential(`password:${input.email.trim().toLowerCase()}`)
  const lockedSeconds = await tries.takeTry(subject)
  if (lockedSeconds > 0)
    throw new AppError('rate_limited', 'Too many failed sign-ins. Wait and try again.', {
      code: 'locked',
      retryAfterSeconds: lockedSeconds,
    })

  const found = await tries.candidates(input.email.trim(), input.org)
  if (found.length > 2)
    throw invalid('This address needs the organization as well.', [
      { path: 'org', message: 'send the slug of the organization' },
    ])
  const match = await firstMatch(found, input.password)
  if (!match) {
    for (const { organizationId } of found) await recordFailure(deps, organizationId, visitor)
    throw new AppError('unauthenticated', 'The email or the password is wrong.', {
      code: 'invalid_credentials',
    })
  }
  await tries.clearTries(subject)
  if (match.organizationStatus === 'suspended')
    throw new AppError('forbidden', 'This organization is suspended.', {
      code: 'organization_suspended',
    })
  return openSession(deps, match, visitor)
}

/** Always two verifications, one after the other, whatever there is to verify. */
async function firstMatch(
  found: SignInCandidate[],
  password: string,
): Promise<SignInCandidate | undefined> {
  const first = await verifyPassword(found[0]?.passwordHash, password)
  const second = await verifyPassword(found[1]?.passwordHash, password)
  return first ? found[0] : second ? found[1] : undefined
}

async function recordFailure(deps: Deps, organizationId: number, visitor: Visitor): Promise<void> {
  await deps.store.tenant(organizationId, async (db) =>
    auditLog(db, organizationId, {
      kind: 'system',
      id: null,
      label: 'sign-in',
      ip: visitor.ip,
      requestId: visitor.requestId,
    }).record('auth.login_failed', { outcome: 'failure' }),
  )
}

/** A new secret for each sign-in: a cookie that was there before is never taken over (session fixation). */
export async function openSession(
  deps: Deps,
  { userId, organizationId }: { userId: number; organizationId: number },
  visitor: Visitor,
): Promise<NewSignIn> {
  const secret = newSecret()
  await deps.store.tenant(organizationId, async (db) =>
    sessions(db, organizationId).create({
      userId,
      tokenHash: secret.hash,
      ip: visitor.ip,
      userAgent: visitor.userAgent,
    }),
  )
  const row = await callers(deps.store.platform).bySession(secret.hash)
  if (!row) throw new Error('a session that was just made is gone')
  const { ceiling: _, stale: __, ...person } = row
  const caller: Caller = {
    ...person,
    kind: 'session',
    ip: visitor.ip,
    requestId: visitor.requestId,
  }
  await deps.store.tenant(organizationId, async (db) =>
    auditLog(db, organizationId, actorOf(caller)).record('auth.login', {
      target: { kind: 'user', id: userId, label: caller.email ?? caller.name },
    }),
  )
  return { cookie: secret.plain, caller }
}
