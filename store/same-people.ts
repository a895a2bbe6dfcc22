/**
 * SQL, an array: these people of an organization, and each row of theirs from before they were removed or after they
 * were added again. Who comes back with the same address or user name gets a new id, and would not count as the author
 * of what they wrote. A removed person's address can be given to somebody else, who then counts as them too.
 */
export const samePeople = (organizationId: string, ids: string): string => `array(
  with person as (
    select p.id, p.deprovisioned_at, array[lower(p.email), lower(p.user_name)] as names
    from unnest(${ids}) as one (id)
      join users p on p.organization_id = ${organizationId} and p.id = one.id)
  select id from person
  union select gone.id from person join users gone on gone.organization_id = ${organizationId}
    and gone.deprovisioned_at is not null
    and (lower(gone.email) = any(person.names) or lower(gone.user_name) = any(person.names))
  union select back.id from person join users back on back.organization_id = ${organizationId}
    and person.deprovisioned_at is not null and back.deprovisioned_at is null
    and (lower(back.email) = any(person.names)
      or lower(coalesce(back.user_name, back.email)) = any(person.names)))`
