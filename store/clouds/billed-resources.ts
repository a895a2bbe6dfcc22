import { unwrap, type Tenant } from '../driver/tenant.ts'

/** Of an organization; a bill can name millions, of which many live for minutes. The dearest of each bill come first. */
const maxBilledOnly = 200_000
/** Resources of a bill that one statement reads, about. */
const resourcesOfPart = 20_000
const maxParts = 1_024

type Part = { sliceId: number; part: number; parts: number }

/**
 * Resources that bills name and no inventory lists: rows of `cloud_resources` without a place, which no sync
 * looks at. A sync that finds one gives it a place.
 */
export function billedResources(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  return {
    /** Current slices whose resources were not looked at; locks nothing. */
    async unnoted(limit: number): Promise<number[]> {
      return db('billing_slices')
        .where({ organizationId, isCurrent: true, resourcesNoted: false })
        .orderBy('id')
        .limit(limit)
        .pluck('id')
    },

    /** In how many parts `addPart` takes a slice. */
    async partsOf(sliceId: number): Promise<number> {
      const { rows } = await db.raw(
        'select count(*) as count from cost_resources where organization_id = ? and slice_id = ?',
        [organizationId, sliceId],
      )
      return Math.min(maxParts, Math.ceil(Number(rows[0].count) / resourcesOfPart))
    },

    /** Adds those of a part of a slice that are not known yet. Idempotent. Answers how many. */
    async addPart(at: Part): Promise<number> {
      // The planner does not know how many of the part are new, and would look each charge up by itself.
      await db.raw(`select set_config('enable_nestloop', 'off', true)`)
      const { rowCount } = await db.raw(addPart, {
        organizationId,
        maxBilledOnly,
        ...at,
        ...boundsOf(at),
      })
      if (rowCount > 0) await db.raw('select sort_in_cloud_terms()')
      return rowCount
    },

    async noteSlice(sliceId: number): Promise<void> {
      await db('billing_slices')
        .where({ organizationId, id: sliceId })
        .update({ resourcesNoted: true })
    },
  }
}

/** The part's range of keys, both ends included. Keys are spread evenly. */
function boundsOf({ part, parts }: Part): { low: string; high: string } {
  const at = (place: number) => Math.floor((place * 2 ** 32) / parts)
  const hex = (n: number) => n.toString(16).padStart(8, '0')
  return {
    low: `${hex(at(part))}-0000-0000-0000-000000000000`,
    high: `${hex(at(part + 1) - 1)}-ffff-ffff-ffff-ffffffffffff`,
  }
}

/** Bounds as those of domain/clouds/clean-resource.ts; of a charge whose tags exceed them none is kept. */
const addPart = `
  with slice as materialized (
    select s.id, s.period, b.cloud_account_id from billing_slices s
      join billing_sources b on b.organization_id = s.organization_id and b.id = s.source_id and b.removed_at is null
      left join cloud_accounts a on a.organization_id = b.organization_id and a.id = b.cloud_account_id
    where a.disconnected_at is null and s.organization_id = :organizationId and s.id = :sliceId and s.is_current),
  billed as materialized (
    select billed_cloud_id(c.resource_id, c.provider, c.service, c.sub_account_id, c.region) as cloud_id, c.*
    from cost_resources c join slice s on s.id = c.slice_id
    where c.organization_id = :organizationId and c.slice_id = :sliceId
      and c.name_key between :low::uuid and :high::uuid
      and c.provider in ('aws', 'azure', 'gcp') and length(c.resource_id) between 1 and 1900),
  named as materialized (
    select cloud_id, md5(cloud_id)::uuid as cloud_key, min(provider) as provider,
      (array_agg(resource_id order by last_day desc, effective desc))[1] as resource_id,
      (array_agg(sub_account_id order by last_day desc, effective desc))[1] as sub_account_id,
      (array_agg(region order by last_day desc, effective desc))[1] as region,
      max(name) as name, max(type) as type, min(first_day) as first_day, max(last_day) as last_day,
      sum(effective) as effective
    from billed group by cloud_id),
  room as materialized (
    select greatest(0, :maxBilledOnly - count(*)) / greatest(1, :parts::integer - :part::integer) as rows
    from (select from cloud_resources where organization_id = :organizationId and place_id is null
      limit :maxBilledOnly) r),
  added as materialized (
    select n.* from named n where not exists (
      select from cloud_resources r where r.organization_id = :organizationId and r.cloud_key = n.cloud_key
        and r.cloud_id = n.cloud_id)
    order by n.effective desc, n.cloud_key limit (select rows from room)),
  tagged as materialized (
    select distinct on (f.resource_id) f.resource_id, f.tags from slice s join focus_charges f
      on f.organization_id = :organizationId and f.slice_id = :sliceId and f.period = s.period
    where f.day = any(array(select distinct last_day from added))
      and f.resource_id in (select resource_id from added)
      and jsonb_typeof(f.tags) = 'object' and octet_length(f.tags::text) <= 65536
      -- Another value than an object has no keys, and the order of conditions is the planner's.
      and case when jsonb_typeof(f.tags) = 'object' then
        (select count(*) from jsonb_object_keys(f.tags)) end <= 1000
    order by f.resource_id, f.day desc)
  insert into cloud_resources
    (organization_id, cloud_account_id, provider, cloud_id, service, type, name, region, tags, digest, first_seen_at)
  select :organizationId, coalesce(a.id, s.cloud_account_id, 0), n.provider, n.cloud_id, left(w.service, 150),
    left(w.type, 150), left(coalesce(nullif(n.name, ''), regexp_replace(n.cloud_id, '^.*[/:]', '')), 2000),
    left(coalesce(n.region, ''), 150), coalesce(t.tags, '{}'), '', n.first_day
  from added n cross join slice s
    left join tagged t on t.resource_id = n.resource_id
    -- The connected account that it is of: a sync would list it there.
    left join cloud_accounts a on a.organization_id = :organizationId and a.provider = n.provider
      and a.disconnected_at is null and not a.forgetting
      and a.account_id = case n.provider
        when 'aws' then case when n.sub_account_id ~ '^[0-9]{1,12}$' then lpad(n.sub_account_id, 12, '0') end
        when 'azure' then lower(replace(n.sub_account_id, '/subscriptions/', '')) else n.sub_account_id end
    cross join lateral (select split_part(n.cloud_id, ':', 3) as arn, split_part(n.cloud_id, ':', 6) as rest,
      substring(n.cloud_id from '/providers/([^/]+/[^/]+)/[^/]+$') as azure,
      substring(n.cloud_id from '^//([a-z0-9.-]+)/') as google) p
    -- As the inventories name them (gateways/clouds/aws/parse-arn.ts).
    cross join lateral (select
      case when n.provider = 'aws' then p.arn when n.provider = 'azure' then split_part(p.azure, '/', 1)
        else p.google end as service,
      case when n.provider = 'aws' and p.arn <> '' then p.arn || ':' || coalesce(
          case p.arn when 's3' then 'bucket' when 'sns' then 'topic' when 'sqs' then 'queue' end,
          substring(p.rest from '^/*([^/]+)[/:]'),
          case when split_part(n.cloud_id, ':', 7) <> '' then p.rest end, 'resource')
        else coalesce(p.azure, n.type) end as type) known
    cross join lateral (select coalesce(known.service, '') as service, coalesce(known.type, '') as type) w
  on conflict (organization_id, cloud_key, cloud_account_id) do nothing`
