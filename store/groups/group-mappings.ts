import { unwrap, type Tenant } from '../driver/tenant.ts'
import { notFound } from '../../domain/errors.ts'
import type { Role } from '../../domain/access/roles.ts'

export type GroupMapping = { id: number; groupName: string; role: Role; members: number }

type NewMapping = {
  groupName: string
  role: Role
  mappedBy: number
  /** Who configured the identity provider that signed that person in; null for a password. */
  idpSavedBy: readonly number[] | null
}

/** The people a group's name applies to: members pushed by SCIM, and those whose last assertion named it. */
const members = `
  select m.user_id from groups g
    join group_members m on m.organization_id = g.organization_id and m.group_id = g.id
  where g.organization_id = gm.organization_id and lower(g.display_name) = lower(gm.group_name)
  union
  select s.user_id from saml_group_names s
  where s.organization_id = gm.organization_id and lower(s.name) = lower(gm.group_name)`

const mapping = `gm.id, gm.group_name as "groupName", gm.role,
  (select count(*)::integer from (${members}) as reached) as members`

/** The role that each group grants, by the group's name, ignoring case. */
export function groupMappings(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  return {
    async list(limit: number, after: number): Promise<GroupMapping[]> {
      const { rows } = await db.raw(
        `select ${mapping} from group_mappings gm
         where gm.organization_id = ? and gm.id > ? order by gm.id limit ?`,
        [organizationId, after, limit],
      )
      return rows
    },

    async get(id: number): Promise<GroupMapping> {
      const { rows } = await db.raw(
        `select ${mapping} from group_mappings gm where gm.organization_id = ? and gm.id = ?`,
        [organizationId, id],
      )
      if (!rows[0]) throw notFound()
      return rows[0]
    },

    async findByName(groupName: string): Promise<{ id: number; role: Role } | undefined> {
      return db('group_mappings')
        .where({ organizationId })
        .whereRaw('lower(group_name) = lower(?)', [groupName])
        .first('id', 'role')
    },

    async count(): Promise<number> {
      const [row] = await db('group_mappings').where({ organizationId }).count('id as count')
      return Number(row?.count ?? 0)
    },

    async upsert({ groupName, role, mappedBy, idpSavedBy }: NewMapping): Promise<number> {
      const { rows } = await db.raw(
        `insert into group_mappings (organization_id, group_name, role, mapped_by, idp_saved_by)
         values (:organizationId, :groupName, :role, :mappedBy, :idpSavedBy)
         on conflict (organization_id, lower(group_name))
           do update set group_name = excluded.group_name, role = excluded.role,
             mapped_by = excluded.mapped_by, idp_saved_by = excluded.idp_saved_by, updated_at = now()
         returning id`,
        { organizationId, groupName, role, mappedBy, idpSavedBy: idpSavedBy as never },
      )
      return rows[0].id
    },

    async delete(id: number): Promise<void> {
      await db('group_mappings').where({ organizationId, id }).delete()
    },
  }
}
