import { readDocument } from '../../domain/scim/read-document.ts'
import { userSchema } from '../../domain/scim/schemas.ts'
import { columnsOfNew } from '../../domain/scim/user-columns.ts'
import { insertScimUser } from '../../store/scim/insert-scim-user.ts'
import type { ScimUser } from '../../store/scim/scim-users.ts'
import type { Deps } from '../deps.ts'
import type { Provisioning } from './scim-request.ts'
import { differenceOf } from './user-difference.ts'

/** §4.3 POST /Users. Of many at once with one user name the database lets one through. */
export async function createScimUser(
  deps: Deps,
  by: Provisioning,
  body: Record<string, unknown>,
): Promise<ScimUser> {
  const user = columnsOfNew(readDocument(userSchema, body))
  return insertScimUser(deps.store, by, { user, changes: differenceOf(undefined, user) })
}
