import { assertCredentialsUnlocked } from '../../domain/access/assert-credentials-unlocked.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { newToken } from '../../domain/access/credentials.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { tokens } from '../../store/tokens/tokens.ts'
import { holdPeopleAs } from '../../store/users/hold-people.ts'
import { saversBehind } from '../../store/savers-behind.ts'
import type { Deps } from '../deps.ts'
import { mayUsePassword } from '../sign-in/open-session.ts'

/** Creates a token of the organization: it stays valid after its creator has left, until it is revoked. */
export async function createScimToken(
  deps: Deps,
  caller: Caller,
  { name }: { name: string },
): Promise<{ id: number; plain: string }> {
  const { organizationId } = caller
  const { plain, hash, prefix } = newToken('scim')
  const id = await deps.store.tenant(organizationId, async (tenant) => {
    await holdPeopleAs(tenant, caller, 'manage_users_sso')
    // By the token an attacker who controls the identity provider could change the person's address, and
    // have a password reset mailed to it. Nobody resets a password that opens nothing.
    if (await mayUsePassword(tenant, caller)) assertCredentialsUnlocked(caller)
    const created = await tokens(tenant).createScimToken(caller.userId, {
      name,
      hash,
      prefix,
      idpSavedBy: await saversBehind(tenant, caller),
    })
    await auditLog(tenant, actorOf(caller)).record('scim.token_created', {
      target: { kind: 'scim_token', id: created, label: name },
    })
    return created
  })
  return { id, plain }
}
