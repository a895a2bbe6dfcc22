import { unwrap, type Tenant } from '../driver/tenant.ts'
import { AppError, notFound } from '../../domain/errors.ts'
import type { Role } from '../../domain/access/roles.ts'
import { isUuid } from '../../domain/scim/is-uuid.ts'
import { isUniqueViolation, type Store } from '../driver/connect.ts'
import { askPrepared } from '../driver/ask-prepared.ts'
import type { Sql } from './filter-to-sql.ts'
import { listInBytes, type BoundedPage, type ListPage } from './list-in-bytes.ts'
import { listWholeGroups, maxWholeGroups } from './list-whole-groups.ts'

/** `value` is the public id of the person. */
export type GroupMember = { value: string; display: string | null }

export type ScimGroup = {
  id: number
  publicId: string
  displayName: string
  externalId: string | null
  /** Null if they were not asked for, or are too many to be read at once (`membersAfter`). */
  members: GroupMember[] | null
  version: string
  createdAt: Date
  updatedAt: Date
}

/** With the role that its name grants, if any. */
export type HeldGroup = ScimGroup & { role: Role | null }

/** `few`: members only if there are at most `fewMembers`; `none`: members are not read. */
export type WantedMembers = 'none' | 'few'

const fewMembers = 1_000

const columns = `g.id, g.public_id as "publicId", g.display_name as "displayName", g.external_id as "externalId",
  g.row_version::text as version, g.created_at as "createdAt", g.updated_at as "updatedAt"`

const ofGroup = 'm.organization_id = g.organization_id and m.group_id = g.id'
const display = `coalesce(m.display, nullif(u.name, ''), u.email, u.user_name)`
const all = `(select coalesce(json_agg(json_build_object('value', u.public_id, 'display', ${display})
    order by m.user_id), '[]')
  from group_members m join users u on u.organization_id = m.organization_id and u.id = m.user_id
  where ${ofGroup})`
/** Up to one more than few. */
const countOfFew = `(select count(*) from (select from group_members m where ${ofGroup} limit ${fewMembers + 1}) as counted)`
const few = `case when ${countOfFew} <= ${fewMembers} then ${all} end`
/** How many members a list shows of a group. */
const listed = `mod(${countOfFew}, ${fewMembers + 1})`
const members = { none: 'null::json', few }

/** The groups of one organization, pushed by identity providers. */
export function scimGroups(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  const shown = (wanted: WantedMembers) => `${columns}, ${members[wanted]} as members`

  return {
    async get(publicId: string, wanted: WantedMembers): Promise<ScimGroup> {
      if (!isUuid(publicId)) throw notFound()
      const [group] = await askPrepared<ScimGroup>(db, {
        name: `scim-group-${wanted}`,
        text: `select ${shown(wanted)} from groups g where g.organization_id = $1 and g.public_id = $2`,
        values: [organizationId, publicId],
      })
      if (!group) throw notFound()
      return group
    },

    async getForUpdate(publicId: string): Promise<HeldGroup> {
      if (!isUuid(publicId)) throw notFound()
      const [group] = await askPrepared<HeldGroup>(db, {
        name: 'scim-group-held',
        text: `select ${columns}, null as members,
           (select gm.role from group_mappings gm where gm.organization_id = g.organization_id
              and lower(gm.group_name) = lower(g.display_name)) as role
         from groups g where g.organization_id = $1 and g.public_id = $2 for no key update of g`,
        values: [organizationId, publicId],
      })
      if (!group) throw notFound()
      return group
    },

    async list(page: ListPage, wanted: WantedMembers): Promise<BoundedPage<ScimGroup>> {
      if (wanted === 'few' && page.count <= maxWholeGroups)
        return listWholeGroups(
          db,
          { columns, members: all, count: countOfFew, mostListed: fewMembers },
          { organizationId, page },
        )
      return listInBytes(
        db,
        {
          table: 'groups',
          alias: 'g',
          where: 'g.organization_id = ?',
          links: wanted === 'few' ? listed : '0',
          columns: shown(wanted),
          counted: '"displayName", "externalId", members',
        },
        { organizationId, page },
      )
    },

    async count(filter: Sql | undefined): Promise<number> {
      const { rows } = await db.raw(
        `select count(*)::integer as count from groups g where g.organization_id = ? ${and(filter)}`,
        [organizationId, ...(filter?.bindings ?? [])],
      )
      return rows[0].count
    },

    async create(group: { displayName: string; externalId: string | null }): Promise<ScimGroup> {
      try {
        const [made] = await askPrepared<ScimGroup>(db, {
          name: 'scim-group-insert',
          text: `insert into groups as g (organization_id, display_name, external_id) values ($1, $2, $3)
           returning ${columns}, '[]'::json as members`,
          values: [organizationId, group.displayName, group.externalId],
        })
        if (!made) throw new Error('an insert returned nothing')
        return made
      } catch (error) {
        throw toTaken(error)
      }
    },

    async update(
      id: number,
      group: { displayName: string; externalId: string | null },
    ): Promise<void> {
      try {
        await db.raw(
          `update groups set display_name = ?, external_id = ?, updated_at = now(), row_version = row_version + 1
           where organization_id = ? and id = ?`,
          [group.displayName, group.externalId, organizationId, id],
        )
      } catch (error) {
        throw toTaken(error)
      }
    },

    /** Raises the version: members are part of it. */
    async touch(id: number): Promise<void> {
      await askPrepared(db, {
        name: 'scim-group-touch',
        text: 'update groups set updated_at = now(), row_version = row_version + 1 where organization_id = $1 and id = $2',
        values: [organizationId, id],
      })
    },

    async delete(id: number): Promise<void> {
      await db('groups').where({ organizationId, id }).delete()
    },
  }
}

/** The next members of a group after one of them, in the order of their internal ids, in one round trip. */
export async function membersAfter(
  store: Pick<Store, 'read'>,
  organizationId: number,
  { groupId, after }: { groupId: number; after: number },
): Promise<Array<GroupMember & { userId: number }>> {
  return store.read(organizationId, {
    name: 'scim-members-after',
    text: `select m.user_id as "userId", u.public_id as value, ${display} as display
      from group_members m join users u on u.organization_id = m.organization_id and u.id = m.user_id
      where m.organization_id = $1 and m.group_id = $2 and m.user_id > $3
      order by m.user_id limit ${fewMembers}`,
    values: [organizationId, groupId, after],
  })
}

const and = (filter: Sql | undefined): string => (filter ? `and ${filter.text}` : '')

const toTaken = (error: unknown): unknown =>
  isUniqueViolation(error, 'groups_display_name')
    ? new AppError('conflict', 'There is a group of this name already.', {
        code: 'taken',
        scimType: 'uniqueness',
        cause: error,
      })
    : error
