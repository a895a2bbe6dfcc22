import { enterpriseUrn, userSchema, userUrn, type Attribute } from '../../domain/scim/schemas.ts'
import type { FilterColumns, Indexed } from './filter-to-sql.ts'
import { idCondition } from './id-condition.ts'
import { userVersion } from './scim-users.ts'

const anyName = `coalesce(nullif(u.name, ''), u.email, u.user_name, u.public_id::text)`
const wholeName = `case when strpos(${anyName}, ' ') > 0 then ${anyName} else split_part(${anyName}, '@', 1) end`

/** SQL of derived-name.ts, for people without a name in parts. */
const derived: Record<string, string> = {
  formatted: wholeName,
  givenName: `split_part(${wholeName}, ' ', 1)`,
  familyName: `regexp_replace(${wholeName}, '^[^ ]* ', '')`,
}

/** Names and URNs here are constants of our own schemas, never a caller's text. */
const inProfile = (path: readonly string[]) =>
  `u.profile #>> '{${path.map((part) => `"${part}"`).join(',')}}'`

const simple = (attributes: readonly Attribute[], prefix: readonly string[] = []) =>
  attributes.flatMap(({ name, type, multiValued, subAttributes = [] }): Array<[string, string]> => {
    const [urn] = prefix
    const key = urn === undefined ? name : `${urn}:${name}`
    if (multiValued) return []
    if (type !== 'complex') return [[key, inProfile([...prefix, name])]]
    return subAttributes.map((sub) => [
      `${key}.${sub.name}`,
      inProfile([...prefix, name, sub.name]),
    ])
  })

const names = Object.fromEntries(
  (userSchema.core.attributes.find(({ name }) => name === 'name')?.subAttributes ?? []).map(
    ({ name }) => {
      const given = inProfile(['name', name])
      const fallback = derived[name]
      return [
        `name.${name}`,
        fallback
          ? `case when u.profile -> 'name' is null then ${fallback} else ${given} end`
          : given,
      ]
    },
  ),
)

const jsonElements = (from: string) => ({
  from: `jsonb_array_elements(${from}) as e`,
  part: (sub: string) => {
    const text = `(e ->> '${sub}')`
    return sub === 'primary' ? `${text}::boolean` : text
  },
})

/** The one e-mail of people without a list of them, as it is shown. */
const emails = `coalesce(u.profile -> 'emails', case when u.email is null then '[]'::jsonb
  else jsonb_build_array(jsonb_build_object('value', u.email, 'type', 'work', 'primary', true)) end)`

const multiValued = userSchema.core.attributes.filter((attribute) => attribute.multiValued)

export const userFilterColumns: FilterColumns = {
  values: {
    ...Object.fromEntries(simple(userSchema.core.attributes)),
    ...Object.fromEntries(
      userSchema.extensions.flatMap(({ id, attributes }) => simple(attributes, [id])),
    ),
    ...names,
    id: 'u.public_id::text',
    userName: 'coalesce(u.user_name, u.email)',
    externalId: 'u.external_id',
    displayName: `case when u.profile -> 'displayName' is null then nullif(u.name, '') end`,
    active: 'u.active',
    'meta.resourceType': `'User'`,
    'meta.version': `'W/"' || ${userVersion} || '"'`,
    'meta.created': 'u.created_at',
    'meta.lastModified': 'u.updated_at',
  },
  elements: {
    ...Object.fromEntries(
      multiValued.map(({ name }) => [
        name,
        jsonElements(`coalesce(u.profile -> '${name}', '[]'::jsonb)`),
      ]),
    ),
    emails: jsonElements(emails),
    schemas: {
      from: `unnest(array['${userUrn}', case when u.profile -> '${enterpriseUrn}' is not null
        then '${enterpriseUrn}' end]) as s (value)`,
      part: (sub) => ({ value: 's.value' })[sub],
    },
    groups: {
      from: `(select g.public_id, g.display_name from group_members m
          join groups g on g.organization_id = m.organization_id and g.id = m.group_id
        where m.organization_id = u.organization_id and m.user_id = u.id) as g`,
      part: (sub) => ({ value: 'g.public_id::text', display: 'g.display_name' })[sub],
    },
    roles: {
      from: `(select coalesce((select max(r.role) from role_grants r
        where r.organization_id = u.organization_id and r.user_id = u.id), 'Viewer')::text as role) as held`,
      part: (sub) => ({ value: 'held.role', primary: 'true' })[sub],
    },
  },
  lookUps: new Set(['id', 'userName', 'externalId', 'emails.value']),
  indexed({ extension, attribute, sub }, value) {
    const { name } = attribute
    if (extension === undefined && name === 'id') return idCondition('u.public_id = ?::uuid', value)
    if (name === 'groups' && sub?.name === 'value')
      return idCondition(
        `u.id in (select m.user_id from groups g join group_members m
            on m.organization_id = g.organization_id and m.group_id = g.id
          where g.organization_id = u.organization_id and g.public_id = ?::uuid)`,
        value,
      )
    if (extension === undefined && name === 'userName')
      return byIndex('u.id in (select id from scim_users_by_user_name(?) as id)', value, true)
    // The index does not cover other conditions on the e-mail.
    if (name === 'emails' && sub?.name === 'value')
      return byIndex('u.id in (select id from scim_users_by_email(?) as id)', value, false)
    return undefined
  },
}

const byIndex = (text: string, value: string, complete: boolean): Indexed => ({
  text,
  bindings: [value],
  complete,
})
