import { asTenant } from '../../store/driver/tenant.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { invitationHours, newSecret } from '../../domain/access/credentials.ts'
import { conflict } from '../../domain/errors.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { isUniqueViolation } from '../../store/driver/connect.ts'
import { organizations, type Organization } from '../../store/platform/organizations.ts'
import { userTokens } from '../../store/users/user-tokens.ts'
import { users } from '../../store/users/users.ts'
import type { Deps } from '../deps.ts'

export type NewOrganization = {
  name: string
  slug: string
  owner: { email: string; name: string }
}

/**
 * Creates an organization with its first Owner, who sets a password through the invitation. In one
 * transaction: nobody could reach an organization without an Owner, and its slug would stay taken.
 */
export async function createOrganization(
  deps: Deps,
  caller: Caller,
  input: NewOrganization,
): Promise<{ organization: Organization; invitationToken: string }> {
  const link = newSecret()
  try {
    const organization = await deps.store.platform.transaction(async (trx) => {
      const created = await organizations(trx).create(input.slug, input.name)
      const owner = await users(asTenant(trx, created.id)).create({ ...input.owner, role: 'Owner' })
      await userTokens(asTenant(trx, created.id)).create(owner.id, 'invitation', {
        hash: link.hash,
        hours: invitationHours,
      })
      // The administrator's id belongs to another organization; here it would name somebody else.
      await auditLog(asTenant(trx, created.id), { ...actorOf(caller), id: null }).record(
        'org.created',
        {
          target: { kind: 'organization', id: created.id, label: created.slug },
        },
      )
      return created
    })
    return { organization, invitationToken: link.plain }
  } catch (error) {
    if (!isUniqueViolation(error, 'organizations_slug_key')) throw error
    const existing = await organizations(deps.store.platform).findBySlug(input.slug)
    throw conflict('slug_taken', `There is an organization ${input.slug} already.`, existing?.id)
  }
}
