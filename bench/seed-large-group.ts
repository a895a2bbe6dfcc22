import type { Knex } from 'knex'

/**
 * Inserts a group with all people that gives a role, a person in no group, and a small group that
 * gives the same role.
 */
export async function seedLargeGroup(owner: Knex): Promise<void> {
  for (const statement of statements) await owner.raw(statement)
}

const statements = [
  `update users set external_id = 'ext-' || id, user_name = email where email like 'person%'`,
  `insert into groups (organization_id, display_name)
     select id, label from organizations, unnest(array['large', 'small']) as label`,
  `insert into group_mappings (organization_id, group_name, role)
     select organization_id, display_name, 'Deployer' from groups`,
  `insert into group_members (organization_id, group_id, user_id)
     select u.organization_id, g.id, u.id from users u join groups g on g.organization_id = u.organization_id
     where u.email like 'person%' and (g.display_name = 'large' or u.email like 'person1_@%')`,
  `insert into role_grants (organization_id, user_id, source, role)
     select distinct organization_id, user_id, 'scim', 'Deployer'::member_role from group_members`,
  `insert into users (organization_id, email, user_name, name)
     select id, 'joiner@bench.example', 'joiner@bench.example', 'Joiner' from organizations`,
  'vacuum analyze users',
  'vacuum analyze groups',
  'vacuum analyze group_members',
  'vacuum analyze role_grants',
]
