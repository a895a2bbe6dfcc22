import type { Caller } from '../../domain/access/caller.ts'
import { newToken } from '../../domain/access/credentials.ts'
import { assertMayGrant } from '../../domain/access/person-rules.ts'
import type { Role } from '../../domain/access/roles.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { tokens, type ApiToken } from '../../store/tokens/tokens.ts'
import { saversBehind } from '../../store/savers-behind.ts'
import type { Deps } from '../deps.ts'

export type NewToken = { name: string; role: Role; expiresInDays?: number }

/**
 * Creates a token of the caller's own. Its role is never above the owner's, now or later: each
 * use takes the lower of the token's role and the owner's current one.
 */
export async function createToken(
  deps: Deps,
  caller: Caller,
  { name, role, expiresInDays = 90 }: NewToken,
): Promise<{ plain: string; token: ApiToken }> {
  // By the role alone: no token carries a platform administrator's powers.
  assertMayGrant({ role: caller.role, platformAdmin: false }, role)
  const { organizationId } = caller
  const { plain, hash, prefix } = newToken('pat')
  const token = await deps.store.tenant(organizationId, async (tenant) => {
    const created = await tokens(tenant).createApiToken(caller.userId, {
      name,
      role,
      expiresInDays,
      hash,
      prefix,
      idpSavedBy: await saversBehind(tenant, caller),
    })
    await auditLog(tenant, actorOf(caller)).record('auth.token_created', {
      target: { kind: 'token', id: created.id, label: name },
      detail: { role, expiresInDays },
    })
    return created
  })
  return { plain, token }
}
