import { groupUrn } from '../../domain/scim/schemas.ts'
import type { FilterColumns } from './filter-to-sql.ts'
import { idCondition } from './id-condition.ts'

export const groupFilterColumns: FilterColumns = {
  values: {
    id: 'g.public_id::text',
    externalId: 'g.external_id',
    displayName: 'g.display_name',
    'meta.resourceType': `'Group'`,
    'meta.version': `'W/"' || g.row_version || '"'`,
    'meta.created': 'g.created_at',
    'meta.lastModified': 'g.updated_at',
  },
  elements: {
    schemas: {
      from: `(select '${groupUrn}' as value) as s`,
      part: (sub) => ({ value: 's.value' })[sub],
    },
    members: {
      from: `(select mu.public_id, coalesce(m.display, nullif(mu.name, ''), mu.email, mu.user_name) as display
          from group_members m
          join users mu on mu.organization_id = m.organization_id and mu.id = m.user_id
        where m.organization_id = g.organization_id and m.group_id = g.id) as mm`,
      part: (sub) => ({ value: 'mm.public_id::text', display: 'mm.display' })[sub],
    },
  },
  lookUps: new Set(['id', 'externalId', 'displayName']),
  indexed({ attribute: { name }, sub }, value) {
    if (name === 'id') return idCondition('g.public_id = ?::uuid', value)
    if (name === 'displayName')
      return {
        text: 'g.id in (select id from scim_groups_by_name(?) as id)',
        bindings: [value],
        complete: true,
      }
    if (name !== 'members' || sub?.name !== 'value') return undefined
    return idCondition(
      `g.id in (select m.group_id from users mu join group_members m
          on m.organization_id = mu.organization_id and m.user_id = mu.id
        where mu.organization_id = g.organization_id and mu.public_id = ?::uuid)`,
      value,
    )
  },
}
