import { hashCredential } from '../../domain/access/credentials.ts'
import { codeTries } from '../../domain/access/try-subjects.ts'
import { AppError } from '../../domain/errors.ts'
import { auditLog } from '../../store/audit/audit-log.ts'
import { holdPerson } from '../../store/users/hold-person.ts'
import { secondFactors } from '../../store/users/second-factors.ts'
import { ownerOfUserToken, userTokens, type TokenOwner } from '../../store/users/user-tokens.ts'
import type { Deps } from '../deps.ts'
import { assertMayUsePassword, insertSession, readSignIn, type NewSignIn } from './open-session.ts'
import { organizationSuspended } from './refusals.ts'
import { takeCode } from './take-code.ts'
import { asTry } from './as-try.ts'
import { actorOfVisitor, type Visitor } from './visitor.ts'

/** The second step of a sign-in. The right code consumes the token, which counts for its own person alone. */
export async function verifySecondFactor(
  deps: Deps,
  { mfaToken, code }: { mfaToken: string; code: string },
  visitor: Visitor,
): Promise<NewSignIn> {
  const hash = hashCredential(mfaToken)
  const owner = await ownerOfUserToken(deps.store.platform, hash, 'second_factor')
  if (!owner) throw over()
  if (owner.organizationStatus === 'suspended') throw organizationSuspended()
  const subject = codeTries(owner.organizationId, owner.userId)
  const cookie = await asTry(deps.store.platform, subject, async () =>
    signInWith(deps, { owner, hash, code }, visitor),
  )
  if (cookie === undefined) {
    await noteFailure(deps, owner, visitor)
    throw new AppError('unauthenticated', 'The code is wrong or was used already.', {
      code: 'invalid_code',
    })
  }
  return readSignIn(deps, { cookie, hash: hashCredential(cookie) }, visitor)
}

async function signInWith(
  { store, keyring }: Deps,
  { owner, hash, code }: { owner: TokenOwner; hash: Buffer; code: string },
  visitor: Visitor,
): Promise<string | undefined> {
  const { organizationId, userId } = owner
  return store.tenant(organizationId, async (tenant) => {
    if (!(await holdPerson(tenant, userId))) throw over()
    // Single sign-on may have become required since the password was checked.
    await assertMayUsePassword(tenant, owner)
    const taken = await takeCode({ keyring }, tenant, { userId, code })
    if (!taken) return undefined
    // If the token ended meanwhile (a reset, a concurrent request), the code is not consumed either.
    if (!(await userTokens(tenant).use(hash, 'second_factor'))) throw over()
    if (taken === 'recovery')
      await auditLog(tenant, actorOfVisitor(visitor)).record('auth.recovery_code_used', {
        target: { kind: 'user', id: userId, label: owner.email ?? owner.name },
        detail: { left: await secondFactors(tenant).recoveryCodesLeft(userId) },
      })
    return insertSession(tenant, owner, visitor)
  })
}

async function noteFailure(deps: Deps, owner: TokenOwner, visitor: Visitor): Promise<void> {
  const { organizationId, userId, email, name } = owner
  await deps.store.tenant(organizationId, async (tenant) =>
    auditLog(tenant, actorOfVisitor(visitor)).record('auth.mfa_failed', {
      outcome: 'failure',
      target: { kind: 'user', id: userId, label: email ?? name },
    }),
  )
}

const over = () =>
  new AppError('unauthenticated', 'This sign-in is over. Begin again with the password.', {
    code: 'mfa_token_invalid',
  })
