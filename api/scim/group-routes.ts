import { groupSchema } from '../../domain/scim/schemas.ts'
import { groupFilterColumns } from '../../store/scim/group-filter-columns.ts'
import { scimGroups, type ScimGroup } from '../../store/scim/scim-groups.ts'
import { patchScimGroup, putScimGroup } from './change-scim-group.ts'
import { createScimGroup } from './create-scim-group.ts'
import { deleteScimGroup } from './delete-scim-group.ts'
import { largeGroupInPieces, presentGroup } from './present-group.ts'
import { resourceRoutes } from './resource-routes.ts'
import { wantedMembers, wantsAllMembers } from './wanted-members.ts'

/** SCIM /Groups. */
export const scimGroupRoutes = resourceRoutes<ScimGroup>({
  name: 'Group',
  schema: groupSchema,
  columns: groupFilterColumns,
  listNote:
    'A group of over 1,000 members comes without them in a list, also where `attributes=members` asks for them; so do the largest groups of a page of at most 100 that have over 10,000 members together. Read such a group by its id, which gives all of them.',
  rows(tenant) {
    const groups = scimGroups(tenant)
    return {
      get: async (id, shown) => groups.get(id, wantedMembers(shown)),
      exists: async (id) => groups.get(id, 'none'),
      // Members of a large group never come in a list: 200 groups could be 200 times everybody.
      list: async (page, shown) => groups.list(page, wantedMembers(shown)),
      count: async ({ filter }) => groups.count(filter),
    }
  },
  create: async (deps, by, { body, projection }) =>
    createScimGroup(deps, by, { body, wanted: wantedMembers(projection) }),
  put: async (deps, by, { projection, ...change }) =>
    putScimGroup(deps, by, { ...change, wanted: wantedMembers(projection) }),
  patch: async (deps, by, { projection, ...change }) =>
    patchScimGroup(deps, by, { ...change, wanted: wantedMembers(projection) }),
  remove: deleteScimGroup,
  present: presentGroup,
  // The names of members: a person who is renamed does not change the versions of all of their groups.
  hasUnversioned: ({ wants }) => wants('members'),
  inPieces: (deps, organizationId, { stored: group, asked, kind }) =>
    group.members === null && wantsAllMembers(asked.projection, kind)
      ? largeGroupInPieces(deps, organizationId, { group, ...asked })
      : undefined,
})
