import { conflict } from '../../domain/errors.ts'
import { auditLog, type AuditActor } from '../audit/audit-log.ts'
import type { Db } from '../connect.ts'
import { mails } from '../mails/mails.ts'
import { endAccess } from './end-access.ts'
import { holdPerson } from './hold-person.ts'
import { secondFactors } from './second-factors.ts'

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
  db: Db,
  organizationId: number,
  { person, actor, removedBy }: Removal,
): Promise<void> {
  const { id: userId, email, name } = person
  const held = await holdPerson(db, organizationId, userId)
  // An enrolment that was never activated counts as none.
  if (!held?.mfaEnabled) throw conflict('mfa_not_enabled', 'This person has no second factor.')
  await secondFactors(db, organizationId).remove(userId)
  const sessions = await endAccess(db, organizationId).sessions(userId)
  await mails(db, organizationId).queue('second_factor_removed', userId, { removedBy })
  await auditLog(db, organizationId, actor).record('org.user_mfa_removed', {
    target: { kind: 'user', id: userId, label: email ?? name },
    detail: { sessionsEnded: sessions },
  })
}
