import type { Caller } from '../../domain/access/caller.ts'
import { invitationHours, newSecret } from '../../domain/access/credentials.ts'
import { conflict } from '../../domain/errors.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { userTokens } from '../../store/users/user-tokens.ts'
import type { Deps } from '../deps.ts'
import { holdInvited } from './hold-invited.ts'

/**
 * A new link for an invited person, for a service that sends no mail. Who has it can come in as that
 * person, so it is refused where mail is sent: there only the mailbox gets it
 * (docs/decisions/0201-invitations-without-mail.md).
 */
export async function showInvitation(deps: Deps, caller: Caller, id: number): Promise<string> {
  if (deps.config.smtpUrl)
    throw conflict(
      'invitation_mailed',
      'Invitations are sent by mail here. Invite the person again.',
    )
  const link = newSecret()
  await deps.store.tenant(caller.organizationId, async (tenant) => {
    const person = await holdInvited(tenant, caller, id)
    await userTokens(tenant).create(id, 'invitation', {
      hash: link.hash,
      hours: invitationHours,
      shown: true,
    })
    await auditLog(tenant, actorOf(caller)).record('org.invitation_shown', {
      target: { kind: 'user', id, label: person.email ?? person.name },
      detail: { role: person.role },
    })
  })
  return link.plain
}
