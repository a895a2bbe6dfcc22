import type { Tenant } from '../../store/driver/tenant.ts'
import { conflict } from '../../domain/errors.ts'
import { auditLog, type AuditActor } from '../../store/audit/audit-log.ts'
import { mails } from '../../store/mails/mails.ts'
import { endAccess } from './end-access.ts'
import { holdPerson } from '../../store/users/hold-person.ts'
import { secondFactors } from '../../store/users/second-factors.ts'

export type Removal = {
  person: { id: number; email: string | null; name: string }
  actor: AuditActor
  /** As the mail names them. */
  removedBy: string
}

/**
 * Removes a person's second factor, if it is lost or was set up by an attacker. Ends their sessions,
 * which the attacker may have opened, and mails them.
 */
export async function takeOffSecondFactor(
  tenant: Tenant,
  { person, actor, removedBy }: Removal,
): Promise<void> {
  const { id: userId, email, name } = person
  const held = await holdPerson(tenant, userId)
  // An enrolment that was never activated counts as none.
  if (!held?.mfaEnabled) throw conflict('mfa_not_enabled', 'This person has no second factor.')
  await secondFactors(tenant).remove(userId)
  const sessions = await endAccess(tenant).sessions(userId)
  await mails(tenant).queue('second_factor_removed', userId, { removedBy })
  await auditLog(tenant, actor).record('org.user_mfa_removed', {
    target: { kind: 'user', id: userId, label: email ?? name },
    detail: { sessionsEnded: sessions },
  })
}
