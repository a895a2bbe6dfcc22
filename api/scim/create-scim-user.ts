import { readDocument } from '../../domain/scim/read-document.ts'
import { userSchema } from '../../domain/scim/schemas.ts'
import { columnsOfNew } from '../../domain/scim/user-columns.ts'
import { insertScimUser } from '../../store/scim/insert-scim-user.ts'
import type { ScimUser } from '../../store/scim/scim-users.ts'
import type { Deps } from '../deps.ts'
import type { Provisioning } from './scim-request.ts'
import { differenceOf } from './user-difference.ts'

/** POST /Users. Of several requests with one user name at once, the unique index lets one succeed. */
export async function createScimUser(
  deps: Deps,
  by: Provisioning,
  body: Record<string, unknown>,
): Promise<ScimUser> {
  const user = columnsOfNew(readDocument(userSchema, body))
  return insertScimUser(deps.store, by, { user, changes: differenceOf(undefined, user) })
}
