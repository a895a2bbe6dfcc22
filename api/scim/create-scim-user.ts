import { readDocument } from '../../domain/scim/read-document.ts'
import { userSchema } from '../../domain/scim/schemas.ts'
import { columnsOfNew } from '../../domain/scim/user-columns.ts'
import { scimLog } from '../../store/scim/scim-log.ts'
import { scimUsers, type ScimUser } from '../../store/scim/scim-users.ts'
import type { Deps } from '../deps.ts'
import type { Provisioning } from './scim-request.ts'
import { differenceOf, targetOf } from './user-difference.ts'

/** §4.3 POST /Users. Of many at once with one user name the database lets one through. */
export async function createScimUser(
  deps: Deps,
  by: Provisioning,
  body: Record<string, unknown>,
): Promise<ScimUser> {
  const { organizationId } = by
  const columns = columnsOfNew(readDocument(userSchema, body))
  return deps.store.tenant(organizationId, async (db) => {
    const user = await scimUsers(db, organizationId).create(columns)
    await scimLog(db, organizationId).recordChange(by, {
      event: 'scim.user_created',
      target: targetOf(user),
      changes: differenceOf(undefined, user),
    })
    return user
  })
}
