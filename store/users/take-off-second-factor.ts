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
  /** As the letter names them. */
  removedBy: string
}

/**
 * Takes the second factor off somebody who lost theirs, or has one that is not theirs. Their
 * sessions end, since whoever set it up may have opened them, and they are told by mail.
 */
export async function takeOffSecondFactor(
  db: Db,
  organizationId: number,
  { person, actor, removedBy }: Removal,
): Promise<void> {
  const { id: userId, email, name } = person
  const held = await holdPerson(db, organizationId, userId)
  // One that was enrolled and never activated counts for nothing; it goes with it.
  if (!held?.mfaEnabled) throw conflict('mfa_not_enabled', 'This person has no second factor.')
  await secondFactors(db, organizationId).remove(userId)
  const sessions = await endAccess(db, organizationId).sessions(userId)
  await mails(db, organizationId).queue('second_factor_removed', userId, { removedBy })
  await auditLog(db, organizationId, actor).record('org.user_mfa_removed', {
    target: { kind: 'user', id: userId, label: email ?? name },
    detail: { sessionsEnded: sessions },
  })
}
