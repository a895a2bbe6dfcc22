import type { Caller } from '../../domain/access/caller.ts'
import { newSecret } from '../../domain/access/credentials.ts'
import { conflict } from '../../domain/errors.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { isUniqueViolation } from '../../store/connect.ts'
import { organizations, type Organization } from '../../store/platform/organizations.ts'
import { userTokens } from '../../store/users/user-tokens.ts'
import { users } from '../../store/users/users.ts'
import type { Deps } from '../deps.ts'
import { invitationHours } from '../users/invite-user.ts'

export type NewOrganization = {
  name: string
  slug: string
  owner: { email: string; name: string }
}

/** A tenant with its first Owner, who sets a password through the invitation (decisions §2). */
export async function createOrganization(
  deps: Deps,
  caller: Caller,
  input: NewOrganization,
): Promise<{ organization: Organization; invitationToken: string }> {
  const organization = await organizations(deps.store.platform)
    .create(input.slug, input.name)
    .catch((error: unknown) => {
      throw isUniqueViolation(error)
        ? conflict('slug_taken', `There is an organization ${input.slug} already.`)
        : error
    })
  const link = newSecret()
  await deps.store.tenant(organization.id, async (db) => {
    const owner = await users(db, organization.id).create({ ...input.owner, role: 'Owner' })
    await userTokens(db, organization.id).create(owner.id, 'invitation', {
      hash: link.hash,
      hours: invitationHours,
    })
    await auditLog(db, organization.id, { ...actorOf(caller), id: null }).record('org.created', {
      target: { kind: 'organization', id: organization.id, label: organization.slug },
    })
  })
  return { organization, invitationToken: link.plain }
}
