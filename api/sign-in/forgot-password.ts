import { normalEmail, resetTries } from '../../domain/access/try-subjects.ts'
import { auditLog } from '../../store/audit/audit-log.ts'
import { mails } from '../../store/mails/mails.ts'
import { signIn, type Resettable } from '../../store/platform/sign-in.ts'
import { signInTries } from '../../store/platform/sign-in-tries.ts'
import type { Deps } from '../deps.ts'
import { mayUsePassword } from './open-session.ts'
import { actorOfVisitor, type Visitor } from './visitor.ts'

/**
 * Queues a mail with a link for each account of the address. The response is sent before this
 * starts, so neither its body nor its time reveals whether an account exists.
 */
export async function forgotPassword(deps: Deps, email: string, visitor: Visitor): Promise<void> {
  const { platform } = deps.store
  const [accounts, tries] = [signIn(platform), signInTries(platform)]
  // Above the limit nothing is sent, silently, so that nobody can flood a mailbox.
  const subject = resetTries(email)
  if ((await tries.take(subject)) !== 'taken') return
  await tries.end(subject, 'failed')
  for (const account of await accounts.resettable(normalEmail(email)))
    await queueMail(deps, account, visitor)
}

async function queueMail(deps: Deps, account: Resettable, visitor: Visitor): Promise<void> {
  const { organizationId, userId, email } = account
  await deps.store.tenant(organizationId, async (tenant) => {
    // No link is sent to a person whose password could not sign in.
    if (!(await mayUsePassword(tenant, account))) return
    await mails(tenant).queue('password_reset', userId, {})
    await auditLog(tenant, actorOfVisitor(visitor)).record('auth.password_reset_requested', {
      target: { kind: 'user', id: userId, label: email },
    })
  })
}
