import type { Caller } from '../../domain/access/caller.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { sessions } from '../../store/users/sessions.ts'
import type { Deps } from '../deps.ts'

/** Ends one of the caller's own sessions. */
export async function endSession({ store }: Deps, caller: Caller, id: number): Promise<void> {
  const { organizationId, userId } = caller
  await store.tenant(organizationId, async (tenant) => {
    await sessions(tenant).revokeOf(userId, id)
    await auditLog(tenant, actorOf(caller)).record('auth.session_revoked', {
      target: { kind: 'session', id },
    })
  })
}
