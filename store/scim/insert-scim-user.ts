import type { Role } from '../../domain/access/roles.ts'
import type { ScimCaller } from '../../domain/scim/scim-caller.ts'
import type { UserColumns } from '../../domain/scim/user-columns.ts'
import type { Store } from '../driver/connect.ts'
import { everybodyBehind } from '../everybody-behind.ts'
import { insertAuditEntry } from '../insert-audit-entry.ts'
import { cut, loggedChanges, type Changes, type ScimRequest } from './scim-log.ts'
import { storedUser, toTakenUser, type ScimUser } from './scim-users.ts'

/** A person of SCIM begins without a grant of any source, which is Viewer. */
const role: Role = 'Viewer'

/** By the parameters of the statement below. */
const entry = {
  organizationId: '$1',
  event: `'scim.user_created'`,
  outcome: `'success'`,
  actorKind: `'scim'`,
  actorId: '$8',
  actorLabel: '$9',
  targetKind: `'user'`,
  targetId: 'id::text',
  targetLabel: '$10',
  detail: '$11',
  ip: '$12',
  requestId: '$13',
}

/** Inserts the person, the audit entry and the log entry in one statement and one round trip. */
const text = `with created as (
    insert into users as u (organization_id, user_name, external_id, email, name, active, profile)
    values ($1, $2, $3, $4, $5, $6, $7)
    returning ${storedUser}),
  made as (
    insert into person_makers (organization_id, user_id, made_by, what)
    select $1, created.id, behind.id, 'invited' from created
      join tokens t on t.organization_id = $1 and t.id = $8
      ${everybodyBehind('t', 'user_id')}),
  audited as (
    ${insertAuditEntry(entry, 'from created')}),
  logged as (
    insert into scim_log (organization_id, token_id, token_name, method, path, status,
      target_kind, target_id, target_label, changes, request_id)
    select $1, $8, $9, $14, $15, $16, 'user', "publicId", $10, $11, $13 from created)
  select * from created`

export async function insertScimUser(
  store: Store,
  by: ScimCaller & ScimRequest & { status: number },
  { user, changes }: { user: UserColumns; changes: Changes },
): Promise<ScimUser> {
  const { userName, externalId, email, name, active, profile } = user
  const values = [
    by.organizationId,
    userName,
    externalId,
    email,
    name,
    active,
    JSON.stringify(profile),
    by.tokenId,
    by.tokenName,
    cut(userName ?? email ?? name, 300),
    loggedChanges(changes),
    by.ip,
    by.requestId,
    by.method,
    cut(by.path, 500),
    by.status,
  ]
  try {
    const [made] = await store.write<Omit<ScimUser, 'role' | 'groups' | 'version'>>(
      by.organizationId,
      {
        name: 'scim-user-insert',
        text,
        values,
      },
    )
    if (!made) throw new Error('an insert returned nothing')
    return { ...made, role, groups: [], version: '1' }
  } catch (error) {
    throw toTakenUser(error)
  }
}
