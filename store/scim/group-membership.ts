import { isUuid } from '../../domain/scim/is-uuid.ts'
import { refusal } from '../../domain/scim/refusals.ts'
import type { Db } from '../connect.ts'

/**
 * Members of one group, by statements whose cost is that of the change and not of the group:
 * reading all and writing all took 11.8 s for one member of 20,000 (identity.md 1).
 */
export function groupMembership(db: Db, organizationId: number, groupId: number) {
  const found = `select u.id from users u
    where u.organization_id = :organizationId and u.deprovisioned_at is null and u.public_id = any(cast(:ids as uuid[]))`

  return {
    /** All or, by the error, none: an id of another organization, or of nobody, is refused (decisions §2a). */
    async add(members: ReadonlyMap<string, string | null>): Promise<number> {
      const ids = [...members.keys()]
      if (ids.length === 0) return 0
      const malformed = ids.find((id) => !isUuid(id))
      if (malformed !== undefined) throw unknownMember(malformed)
      const { rows } = await db.raw(
        `with found as (select u.id, given.display
             from unnest(cast(:ids as uuid[]), cast(:displays as text[])) as given (public_id, display)
               join users u on u.public_id = given.public_id
             where u.organization_id = :organizationId and u.deprovisioned_at is null),
           added as (insert into group_members (organization_id, group_id, user_id, display)
             select :organizationId, :groupId, id, display from found on conflict do nothing returning 1)
         select (select count(*)::integer from found) as found, (select count(*)::integer from added) as added`,
        { organizationId, groupId, ids, displays: [...members.values()] },
      )
      if (rows[0].found < ids.length) throw unknownMember(await this.firstUnknown(ids))
      return rows[0].added
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

    /** Whoever is no member is none afterwards either: nothing to refuse. */
    async remove(ids: readonly string[]): Promise<number> {
      const known = ids.filter(isUuid)
      if (known.length === 0) return 0
      const { rows } = await db.raw(
        `with removed as (delete from group_members m using users u
           where m.organization_id = :organizationId and m.group_id = :groupId
             and u.organization_id = m.organization_id and u.id = m.user_id
             and u.public_id = any(cast(:ids as uuid[])) returning 1)
         select count(*)::integer as removed from removed`,
        { organizationId, groupId, ids: known },
      )
      return rows[0].removed
    },

    async removeAllBut(ids: readonly string[]): Promise<number> {
      const { rows } = await db.raw(
        `with removed as (delete from group_members m
           where m.organization_id = :organizationId and m.group_id = :groupId
             and m.user_id not in (${found}) returning 1)
         select count(*)::integer as removed from removed`,
        { organizationId, groupId, ids: ids.filter(isUuid) },
      )
      return rows[0].removed
    },
  }
}

const unknownMember = (id: string) =>
  refusal('invalidValue', `members: there is no user ${id.slice(0, 80)} here.`)
