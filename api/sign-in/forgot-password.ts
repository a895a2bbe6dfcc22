import { newSecret } from '../../domain/access/credentials.ts'
import { normalEmail, resetTries } from '../../domain/access/try-subjects.ts'
import { passwordResetLetter } from '../../gateways/mail/letters/password-reset.ts'
import { auditLog } from '../../store/audit/audit-log.ts'
import { signIn, type Resettable } from '../../store/platform/sign-in.ts'
import { userTokens } from '../../store/users/user-tokens.ts'
import type { Deps } from '../deps.ts'
import { actorOfVisitor, type Visitor } from './visitor.ts'

export const resetMinutes = 30

/**
 * Mails a link for each account of the address. The caller answers before this begins, so
 * that neither the body nor the time tells whether there is one (§5.5).
 */
export async function forgotPassword(deps: Deps, email: string, visitor: Visitor): Promise<void> {
  const accounts = signIn(deps.store.platform)
  // Past the cap nothing is sent, and nobody is told: a mailbox is not filled by whoever knows its address.
  if ((await accounts.takeTry(resetTries(email))) > 0) return
  for (const account of await accounts.resettable(normalEmail(email)))
    await mailLink(deps, account, visitor)
}

async function mailLink(deps: Deps, account: Resettable, visitor: Visitor): Promise<void> {
  const { organizationId, userId, email, organizationName } = account
  const link = newSecret()
  await deps.store.tenant(organizationId, async (db) => {
    await userTokens(db, organizationId).create(userId, 'password_reset', {
      hash: link.hash,
      minutes: resetMinutes,
    })
    await auditLog(db, organizationId, actorOfVisitor(visitor)).record(
      'auth.password_reset_requested',
      { target: { kind: 'user', id: userId, label: email } },
    )
  })
  const baseUrl = deps.config.baseUrl ?? deps.config.apiUrl
  const letter = passwordResetLetter({
    baseUrl,
    organizationName,
    token: link.plain,
    minutes: resetMinutes,
  })
  await deps.mail.send({ to: email, ...letter })
}
