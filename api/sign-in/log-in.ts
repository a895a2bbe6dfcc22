import type { Tenant } from '../../store/driver/tenant.ts'
import { setTimeout as pause } from 'node:timers/promises'
import { hashCredential, newSecret } from '../../domain/access/credentials.ts'
import { normalEmail } from '../../domain/access/try-subjects.ts'
import { invalid } from '../../domain/errors.ts'
import { verifyPassword } from '../../gateways/passwords/passwords.ts'
import { auditLog } from '../../store/audit/audit-log.ts'
import { signIn, type SignInCandidate } from '../../store/platform/sign-in.ts'
import { holdPerson } from '../../store/users/hold-person.ts'
import { userTokens } from '../../store/users/user-tokens.ts'
import type { Deps } from '../deps.ts'
import {
  assertMayUsePassword,
  insertSession,
  readSignIn,
  type NewSignIn,
  type Person,
} from './open-session.ts'
import { organizationSuspended, wrongCredentials } from './refusals.ts'
import { asPasswordTry } from './as-try.ts'
import { inPasswordTurn } from './password-turns.ts'
import { actorOfVisitor, type Visitor } from './visitor.ts'

export type LoginInput = { email: string; password: string; org?: string }
export type SignInStep = NewSignIn | { mfaToken: string }

const secondFactorMinutes = 5

/**
 * Longer than recording a failure takes. Failures are recorded for existing addresses alone, so every
 * failed sign-in waits this long; otherwise the time would reveal whether an address exists.
 */
const failureMs = 50

/**
 * Password sign-in. Costs and answers the same whether the address has no row, one or two, so a
 * caller cannot find out by the time or the body whether it exists.
 */
export async function logIn(deps: Deps, input: LoginInput, visitor: Visitor): Promise<SignInStep> {
  const { platform } = deps.store
  let found: SignInCandidate[] = []
  const match = await inPasswordTurn(visitor.ip, async () =>
    asPasswordTry(platform, input.email, async () => {
      found = await signIn(platform).candidates(normalEmail(input.email), input.org)
      return firstMatch(found, input.password)
    }),
  )
  if (!match) {
    await Promise.all([
      pause(failureMs),
      ...found.map(async (row) => noteFailure(deps, row, visitor)),
    ])
    throw wrongCredentials()
  }
  // Only with a right password: the answer reveals that the address exists.
  if (found.filter(({ passwordHash }) => passwordHash !== null).length > 2)
    throw invalid('This address needs the organization as well.', [
      { path: 'org', message: 'send the slug of the organization' },
    ])
  if (match.organizationStatus === 'suspended') throw organizationSuspended()

  const step = await deps.store.tenant(match.organizationId, async (tenant) =>
    takeStep(tenant, match, visitor),
  )
  if ('mfaToken' in step) return step
  return readSignIn(deps, { ...step, hash: hashCredential(step.cookie) }, visitor)
}

/** Always verifies twice, one after the other, so that the time does not depend on the number of accounts. */
async function firstMatch(
  found: SignInCandidate[],
  password: string,
): Promise<SignInCandidate | undefined> {
  const first = await verifyPassword(found[0]?.passwordHash, password)
  const second = await verifyPassword(found[1]?.passwordHash, password)
  return first ? found[0] : second ? found[1] : undefined
}

/** Opens a session or, with a second factor, returns a token that waits for its code. */
async function takeStep(
  tenant: Tenant,
  match: Person & Pick<SignInCandidate, 'passwordHash'>,
  visitor: Visitor,
): Promise<{ cookie: string } | { mfaToken: string }> {
  const { userId } = match
  const person = await holdPerson(tenant, userId)
  // The password changed, or the account was closed, since the slow check began.
  if (!person || person.passwordHash !== match.passwordHash) throw wrongCredentials()
  await assertMayUsePassword(tenant, match)
  if (!person.mfaEnabled) return { cookie: await insertSession(tenant, match, visitor) }
  const token = newSecret()
  await userTokens(tenant).create(userId, 'second_factor', {
    hash: token.hash,
    minutes: secondFactorMinutes,
  })
  return { mfaToken: token.plain }
}

async function noteFailure(
  deps: Deps,
  { organizationId, userId, email }: SignInCandidate,
  visitor: Visitor,
): Promise<void> {
  await deps.store.tenant(organizationId, async (tenant) =>
    auditLog(tenant, actorOfVisitor(visitor)).record('auth.login_failed', {
      outcome: 'failure',
      target: { kind: 'user', id: userId, label: email },
    }),
  )
}
