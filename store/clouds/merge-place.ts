import { unwrap, type Tenant } from '../driver/tenant.ts'

/**
 * Ends the look at a place, in one statement: what it did not list is gone. Idempotent: only the call that finds the
 * place waiting, with all of its pages, does so. False if there was nothing to do.
 *
 * A resource that its own place no longer lists goes to another place of this sync that does; otherwise it is gone.
 * Where the place was listed in full before and now only by its tags, an untagged one stays as it is, and so does one
 * of a type that may not be read, or of a region that the account does not name any more. What stays without being
 * seen keeps the time when it was seen last, and does not count as seen.
 */
export async function mergePlace(
  tenant: Tenant,
  { syncId, placeId }: { syncId: number; placeId: number },
): Promise<boolean> {
  const { db, organizationId } = unwrap(tenant)
  const named = { organization: organizationId, sync: syncId, place: placeId }
  // The planner cannot know how many resources a page has: a nested loop over two lists of 100,000
  // would take hours.
  await db.raw('set local enable_nestloop = off')
  const { rows } = await db.raw(statement, named)
  await db.raw('set local enable_nestloop = on')
  const [merged] = rows
  if (!merged) return false
  await db.raw('select sort_in_cloud_terms()')
  await db.raw(
    `update cloud_sync_places s set state = 'ok', reason = null, gone = :gone,
       seen = (select count(*) from cloud_resources r where r.organization_id = p.organization_id
         and r.cloud_account_id = p.cloud_account_id and r.place_id = p.id and r.state = 'present') - :unseen
     from cloud_places p
     where s.organization_id = :organization and s.sync_id = :sync and s.place_id = :place
       and p.organization_id = s.organization_id and p.id = s.place_id`,
    { ...named, ...merged },
  )
  return true
}

/** Compared with the patterns of roles. Resources of more types than a cloud has are kept. */
const maxTypes = 2_000

const statement = `
with turn as materialized (
  select p.id as place_id, p.cloud_account_id, p.looked_at, s.coverage, s.readable, p.was_full,
    -- Of AWS each region is a place of its own. The others are asked for these alone, as patterns: Google lists
    -- the zones of a region with it (gateways/clouds/google/google-locations.ts). No name has a wildcard.
    case when a.provider <> 'aws' then (select array_agg(lower(n) || e) from unnest(a.regions) as n,
      unnest(case when a.provider = 'gcp' then array['', '-%'] else array[''] end) as e) end as regions
  from cloud_sync_places s
    join cloud_syncs y on y.organization_id = s.organization_id and y.id = s.sync_id and y.state = 'running'
    join cloud_places p on p.organization_id = s.organization_id and p.id = s.place_id
    join cloud_accounts a on a.organization_id = p.organization_id and a.id = p.cloud_account_id
  where s.organization_id = :organization and s.sync_id = :sync and s.place_id = :place and s.state = 'waiting'
    and (select bool_or(g.next_cursor is null) and count(*) = max(g.number) + 1 from cloud_resource_pages g
      where g.organization_id = :organization and g.sync_id = :sync and g.place_id = :place)
  for update of s),
looking as materialized (
  select place_id from cloud_sync_places
  where organization_id = :organization and sync_id = :sync and state in ('waiting', 'ok')),
listed as materialized (
  select u.id, g.place_id from cloud_resource_pages g
    join looking l on l.place_id = g.place_id, unnest(g.listed) as u (id)
  where g.organization_id = :organization and g.sync_id = :sync),
unlisted as materialized (
  -- Where another place lists it, that one: it is read anew by the next sync.
  select r.id, t.looked_at, e.place_id as elsewhere, r.last_seen_at, lower(r.type) as type,
    t.readable is null as reads_all,
    -- A look by tags says nothing of the untagged resources that a full one found.
    (t.coverage <> 'tagged_only' or not t.was_full or r.tags <> '{}')
      and coalesce(lower(r.region) like any (t.regions), true) as is_covered
  from turn t join cloud_resources r
      on r.cloud_account_id = t.cloud_account_id and r.place_id = t.place_id
    left join (select id, min(place_id) as place_id from listed group by id) e on e.id = r.id
  where r.organization_id = :organization and r.state = 'present'
    and not exists (select from listed l where l.id = r.id and l.place_id = t.place_id)),
roles as materialized (
  select p.* from turn t, jsonb_to_recordset(t.readable) as p (allowed text[], denied text[])),
readable_types as materialized (
  -- Each type is compared with the patterns once, however many resources it has.
  select y.type
  from (select distinct type from unlisted where not reads_all order by type limit ${maxTypes}) y
  where exists (select from roles p
    where y.type || '/read' like any (p.allowed) and not y.type || '/read' like any (p.denied))),
unseen as materialized (
  -- A look with rights to some types says nothing of the others.
  select u.*, u.is_covered and (u.reads_all or y.type is not null) as is_known
  from unlisted u left join readable_types y on y.type = u.type),
missing as materialized (select * from unseen where is_known),
kept as (
  update cloud_resources r set last_seen_at = greatest(u.looked_at, r.first_seen_at, r.listed_from)
  from unseen u
  where r.organization_id = :organization
    and r.id = any(array(select id from unseen where not is_known and last_seen_at is null)) and r.id = u.id),
left_over as (
  update cloud_resources r set
    place_id = coalesce(m.elsewhere, r.place_id), digest = case when m.elsewhere is null then r.digest else '' end,
    state = case when m.elsewhere is null then 'gone' else 'present' end,
    gone_at = case when m.elsewhere is null then now() end,
    last_seen_at = case when m.elsewhere is null
      then greatest(coalesce(r.last_seen_at, m.looked_at), r.first_seen_at, r.listed_from) end
  from missing m
  where r.organization_id = :organization and r.id = any(array(select id from missing)) and r.id = m.id
  returning r.state),
looked as (
  update cloud_places p set looked_at = now(), was_full = p.was_full or coalesce(t.coverage = 'full', false)
  from turn t
  where p.organization_id = :organization and p.id = t.place_id)
select (select count(*) from left_over where state = 'gone') as gone,
  (select count(*) from unseen where not is_known) as unseen
from turn`
