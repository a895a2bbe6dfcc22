import type { Db } from '../connect.ts'
import { users } from '../users/users.ts'
import { organizationSettings } from './settings.ts'

/**
 * Whether a password opens a session for this person: not where the organization demands
 * single sign-on, but for Owners, who must get in when the identity provider is broken.
 */
export async function passwordSignInAllowed(
  db: Db,
  organizationId: number,
  userId: number,
): Promise<boolean> {
  const { requireSso } = await organizationSettings(db, organizationId)
  if (!requireSso) return true
  const { role } = await users(db, organizationId).get(userId)
  return role === 'Owner'
}
