import type { Caller } from '../../domain/access/caller.ts'
import { conflict } from '../../domain/errors.ts'
import { hashPassword, verifyPassword } from '../../gateways/passwords/passwords.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { endAccess } from '../../app/users/end-access.ts'
import { holdPerson } from '../../store/users/hold-person.ts'
import { sessions } from '../../store/users/sessions.ts'
import { users } from '../../store/users/users.ts'
import type { Deps } from '../deps.ts'
import { assertNewPassword } from './assert-new-password.ts'
import { wrongOwnPassword } from './refusals.ts'
import { asPasswordTry } from './as-try.ts'
import { inPasswordTurn } from './password-turns.ts'

/** Changes one's own password, with the old one. All other sessions and all mailed links end. */
export async function changePassword(
  deps: Deps,
  caller: Caller,
  { current, password }: { current: string; password: string },
): Promise<void> {
  const { organizationId, userId, email, ip } = caller
  assertNewPassword(password, caller)
  const oldHash = await deps.store.tenant(organizationId, async (tenant) =>
    users(tenant).passwordHash(userId),
  )
  if (oldHash === null || email === null)
    throw conflict('no_password', 'You have no password here: you sign in by single sign-on.')

  // Counts towards the lock of sign-in, so that an attacker cannot guess the password here instead.
  const right = await inPasswordTurn(ip, async () =>
    asPasswordTry(deps.store.platform, email, async () => verifyPassword(oldHash, current)),
  )
  if (!right) {
    await noteFailure(deps, caller)
    throw wrongOwnPassword()
  }

  const passwordHash = await inPasswordTurn(ip, async () => hashPassword(password))
  await deps.store.tenant(organizationId, async (tenant) => {
    const person = await holdPerson(tenant, userId)
    // A concurrent request changed it.
    if (person?.passwordHash !== oldHash) throw wrongOwnPassword()
    await users(tenant).setPassword(userId, passwordHash)
    await sessions(tenant).revokeOthersOf(userId, caller.credentialId)
    await endAccess(tenant).mailedLinks(userId)
    await auditLog(tenant, actorOf(caller)).record('auth.password_changed', {
      target: { kind: 'user', id: userId, label: email },
    })
  })
}

async function noteFailure(deps: Deps, caller: Caller): Promise<void> {
  const { organizationId, userId, email, name } = caller
  await deps.store.tenant(organizationId, async (tenant) =>
    auditLog(tenant, actorOf(caller)).record('auth.password_changed', {
      outcome: 'failure',
      target: { kind: 'user', id: userId, label: email ?? name },
      detail: { because: 'wrong password' },
    }),
  )
}
