import { userSchema } from '../../domain/scim/schemas.ts'
import { scimUsers, type ScimUser } from '../../store/scim/scim-users.ts'
import { userFilterColumns } from '../../store/scim/user-filter-columns.ts'
import { patchScimUser, putScimUser } from './change-scim-user.ts'
import { createScimUser } from './create-scim-user.ts'
import { deleteScimUser } from './delete-scim-user.ts'
import { presentUser } from './present-user.ts'
import { resourceRoutes } from './resource-routes.ts'

/** SCIM /Users. */
export const scimUserRoutes = resourceRoutes<ScimUser>({
  name: 'User',
  schema: userSchema,
  columns: userFilterColumns,
  rows(tenant) {
    const people = scimUsers(tenant)
    return {
      get: async (id, { wants }) => people.get(id, wants('groups')),
      exists: async (id) => people.get(id, false),
      list: async (page, { wants }) => people.list(page, wants('groups')),
      count: async ({ filter }) => people.count(filter),
    }
  },
  create: async (deps, by, { body }) => createScimUser(deps, by, body),
  put: async (deps, by, { projection: { wants }, ...change }) =>
    putScimUser(deps, by, { ...change, wantsGroups: wants('groups') }),
  patch: async (deps, by, { projection: { wants }, ...change }) =>
    patchScimUser(deps, by, { ...change, wantsGroups: wants('groups') }),
  remove: deleteScimUser,
  present: presentUser,
})
