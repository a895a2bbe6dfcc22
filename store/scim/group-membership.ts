import { unwrap, type Tenant } from '../driver/tenant.ts'
import { isUuid } from '../../domain/scim/is-uuid.ts'
import { refusal } from '../../domain/scim/refusals.ts'
import { askPrepared } from '../driver/ask-prepared.ts'

/**
 * Members of one group, by statements whose cost is that of the change and not of the group:
 * reading and writing all of them took 11.8 s for one member of 20,000.
 */
export function groupMembership(tenant: Tenant, groupId: number) {
  const { db, organizationId } = unwrap(tenant)

  return {
    /** All or none: an unknown id, or one of another organization, throws. */
    async add(members: ReadonlyMap<string, string | null>): Promise<number> {
      const ids = [...members.keys()]
      if (ids.length === 0) return 0
      const malformed = ids.find((id) => !isUuid(id))
      if (malformed !== undefined) throw unknownMember(malformed)
      const [counts] = await askPrepared<{ found: number; added: number }>(db, {
        name: 'scim-members-add',
        text: `with found as (select u.id, given.display
             from unnest($3::uuid[], $4::text[]) as given (public_id, display)
               join users u on u.public_id = given.public_id
             where u.organization_id = $1 and u.deprovisioned_at is null),
           added as (insert into group_members (organization_id, group_id, user_id, display)
             select $1, $2, id, display from found on conflict do nothing returning 1)
         select (select count(*)::integer from found) as found, (select count(*)::integer from added) as added`,
        values: [organizationId, groupId, ids, [...members.values()]],
      })
      if (!counts || counts.found < ids.length) throw unknownMember(await this.firstUnknown(ids))
      return counts.added
    },

    async firstUnknown(ids: readonly string[]): Promise<string> {
      const { rows } = await db.raw(
        `select wanted as id from unnest(cast(:ids as uuid[])) as given (wanted) where not exists (
           select from users u where u.organization_id = :organizationId
             and u.deprovisioned_at is null and u.public_id = wanted) limit 1`,
        { organizationId, ids: [...ids] },
      )
      return rows[0]?.id ?? ''
    },

    /** Removes members. Ids that are no members are ignored. */
    async remove(ids: readonly string[]): Promise<number> {
      const known = ids.filter(isUuid)
      if (known.length === 0) return 0
      const [counts] = await askPrepared<{ removed: number }>(db, {
        name: 'scim-members-remove',
        text: `with removed as (delete from group_members m using users u
           where m.organization_id = $1 and m.group_id = $2
             and u.organization_id = m.organization_id and u.id = m.user_id
             and u.public_id = any($3::uuid[]) returning 1)
         select count(*)::integer as removed from removed`,
        values: [organizationId, groupId, known],
      })
      return counts?.removed ?? 0
    },

    async removeAllBut(ids: readonly string[]): Promise<number> {
      const [counts] = await askPrepared<{ removed: number }>(db, {
        name: 'scim-members-remove-all-but',
        text: `with removed as (delete from group_members m
           where m.organization_id = $1 and m.group_id = $2
             and m.user_id not in (select u.id from users u
               where u.organization_id = $1 and u.deprovisioned_at is null and u.public_id = any($3::uuid[]))
           returning 1)
         select count(*)::integer as removed from removed`,
        values: [organizationId, groupId, ids.filter(isUuid)],
      })
      return counts?.removed ?? 0
    },
  }
}

const unknownMember = (id: string) =>
  refusal('invalidValue', `members: there is no user ${id.slice(0, 80)} here.`)
