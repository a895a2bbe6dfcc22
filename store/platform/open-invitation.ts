import type { Role } from '../../domain/access/roles.ts'
import { roleOfUser } from '../approval-rule.ts'
import type { PlatformDb } from '../driver/connect.ts'

export type OpenInvitation = {
  organizationName: string
  email: string | null
  name: string
  role: Role
  /** Null for the first Owner, and if they are gone. */
  inviter: string | null
  expiresAt: Date
}

/** What an open invitation says, by the hash of its token: its organization is not known before. */
export async function openInvitation(
  db: PlatformDb,
  hash: Buffer,
): Promise<OpenInvitation | undefined> {
  const { rows } = await db.raw<{ rows: OpenInvitation[] }>(
    `select o.name as "organizationName", u.email, u.name, ${roleOfUser} as role, t.expires_at as "expiresAt",
       (select i.name from person_makers m
          join users i on i.organization_id = m.organization_id and i.id = m.made_by
            and i.deprovisioned_at is null
        where m.organization_id = t.organization_id and m.user_id = t.user_id and m.what = 'invited'
        order by m.at desc limit 1) as inviter
     from user_tokens t
       join users u on u.organization_id = t.organization_id and u.id = t.user_id
       join organizations o on o.id = t.organization_id
     where t.hash = ? and t.purpose = 'invitation' and t.used_at is null and t.expires_at > now()
       and u.active and u.deprovisioned_at is null`,
    [hash],
  )
  return rows[0]
}
