import { unwrap, type Tenant } from '../driver/tenant.ts'
import { isUuid } from '../../domain/scim/is-uuid.ts'
import type { ScimCaller } from '../../domain/scim/scim-caller.ts'
import { askPrepared } from '../driver/ask-prepared.ts'
import { endInvitationsBy, endShownInvitations } from '../end-shown-invitations.ts'
import { everybodyBehind } from '../everybody-behind.ts'
import { newestMaking } from '../newest-making.ts'
import {
  areMany,
  auditChangedRoles,
  changedIds,
  mostRoleEntries,
  recomputedRoles,
} from '../role-changes.ts'

/** `ids` are public ids: these people, these and all members of the group, or all members but these. */
export type Affected = { whom: 'these' | 'everybody' | 'others'; ids: readonly string[] }

// Each has the same three parameters: organization, group, public ids.
const these = `select u.id as user_id from users u
  where u.organization_id = $1 and u.public_id = any($3::uuid[]) and $2::integer is not null`
const members = `select m.user_id from group_members m
  where m.organization_id = $1 and m.group_id = $2 and $3::uuid[] is not null`
const affected = {
  these,
  everybody: `${members} union ${these}`,
  others: `${members} and m.user_id not in (${these})`,
}

const scimActor = {
  organizationId: '$1',
  event: `'scim.user_updated'`,
  actorKind: `'scim'`,
  actorId: '$4',
  actorLabel: '$5',
  ip: '$6',
  requestId: '$7',
}

/** Where the roles of many change, an entry of the group. */
const entryOfMany = `union all
  select 'scim.group_updated', 'group', g.id::text, left(g.display_name, 300), jsonb_build_object(
    'rolesChanged', (select count(*) from changed), 'userIds', ${changedIds})
  from groups g where g.organization_id = $1 and g.id = $2 and ${areMany}`

/** Few people need no count of them: the statement for one member is the most frequent. */
type Form = { notCounting: boolean; many: boolean }

/** The parameters of `affected`, then the token: its id and name, address and id of the request. */
const giveText = (whom: Affected['whom'], { notCounting, many }: Form): string => `
  with affected as (${affected[whom]}),
  ${recomputedRoles({ organizationId: '$1', ...(notCounting && { notCounting: '$2' }) })},
  ended as (${endShownInvitations('$1', 'promoted')}),
  held as (${endInvitationsBy('$1', 'demoted')}),
  made as (
    insert into person_makers (organization_id, user_id, made_by, what, at)
    select $1, user_id, made_by, 'promoted', max(at) from (
      select p.user_id, behind.id as made_by, clock_timestamp() as at from promoted p
        join tokens t on t.organization_id = $1 and t.id = $4
        ${everybodyBehind('t', 'user_id')}
      union all
      select user_id, made_by, clock_timestamp() from by_default
      union all
      select p.user_id, behind.id, gm.updated_at from promoted p
        join group_members m on m.organization_id = $1 and m.user_id = p.user_id
        join groups g on g.organization_id = m.organization_id and g.id = m.group_id
        join group_mappings gm on gm.organization_id = g.organization_id
          and lower(gm.group_name) = lower(g.display_name)
        ${everybodyBehind('gm', 'mapped_by')}) as by
    group by user_id, made_by ${newestMaking}),
  ${auditChangedRoles(scimActor, many ? entryOfMany : undefined)}
  select exists (select from demoted) as demoted`

/** The roles that a group's name grants its members, applied in the transaction of the change. */
export function memberRoles(
  tenant: Tenant,
  { organizationId, tokenId, tokenName, ip, requestId }: ScimCaller,
  groupId: number,
) {
  const { db } = unwrap(tenant)

  // Malformed ids are refused where members are added.
  const values = (ids: readonly string[]) => [organizationId, groupId, ids.filter(isUuid)]

  return {
    /**
     * Locks the affected people, all at once and in a fixed order, before anything is changed: otherwise
     * two groups that swap members concurrently would deadlock.
     */
    async hold({ whom, ids }: Affected): Promise<void> {
      await askPrepared(db, {
        name: `scim-roles-hold-${whom}`,
        text: `select count(*) from (select u.id from users u
          where u.organization_id = $1 and u.id in (${affected[whom]})
          order by u.id for no key update) as held`,
        values: values(ids),
      })
    },

    /**
     * Recomputes the roles of the affected people, up or down, in one statement. A role granted by hand
     * is not touched, and no mapping grants Owner. `notCounting` computes their roles without the group,
     * before it is deleted: afterwards its members are unknown. A person whose role rises counts as
     * promoted by who made the SCIM token, mapped the group or configured the default role, and links to them that somebody was shown end.
     * Of a person whose role falls the links that they were shown end. Each change of a role is audited. Returns
     * whether a role falls: the caller then voids approvals.
     */
    async give({ whom, ids }: Affected, { notCounting = false } = {}): Promise<boolean> {
      const many = whom !== 'these' || ids.length > mostRoleEntries
      const [fell] = await askPrepared<{ demoted: boolean }>(db, {
        name: `scim-roles-give-${whom}${notCounting ? '-without' : ''}${many ? '-many' : ''}`,
        text: giveText(whom, { notCounting, many }),
        values: [...values(ids), tokenId, tokenName, ip, requestId],
      })
      return fell?.demoted === true
    },
  }
}
