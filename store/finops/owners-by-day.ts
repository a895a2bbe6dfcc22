/**
 * SQL: `owners`, for the WITH clause of a statement over the charges of `slices` (a condition on
 * `cost_resources`, whose rows of the slices must be there). It has for each resource that a workspace held
 * the spans of days with one owner each, by the rules of docs/ownership.md. `until_day` is the first day
 * after the span, `held_id` the row of `workspace_resources`. A resource has spans for each account and region
 * that the bill names it in, so join it by `isOwned`.
 */
export function ownersIn(slices: string): string {
  return `
  ${namedIn(slices)},
  resources as materialized (
    select row_number() over () as number, r.* from (
      select resource_id, sub_account_id, region from cost_resources
      where organization_id = :organizationId and ${slices} and resource_id in (select resource_id from named)
      group by 1, 2, 3) r),
  ${matched},
  ${spans}`
}

/** SQL: `named`, the names of those resources of the slices that a workspace may have held. */
export const namedIn = (slices: string): string => `
  named as materialized (
    select distinct resource_id, provider, service, name_key from cost_resources
    where organization_id = :organizationId and ${slices} and name_key in (
      select name_key from workspace_resources where organization_id = :organizationId))`

/** SQL: whether an owner's span is that of a charge `c`. One condition can be hashed, since few resources are held. */
export const isOwned = `o.resource_id = c.resource_id and not (o.sub_account_id is distinct from c.sub_account_id)
  and not (o.region is distinct from c.region_id) and c.day >= o.from_day and c.day < o.until_day`

export const untilNextEdge = `
  spans as (
    select number, day as from_day,
      lead(day, 1, 'infinity'::date) over (partition by number order by day) as until_day
    from edges)`

/**
 * SQL: `held`, of `named` and of `resources` by their `number`: what workspaces held under the name of a bill's
 * resource (domain/clouds/name-of-resource.ts), in the account and region that both name. Where that leaves
 * resources of two accounts or regions, it is nobody's.
 */
export const matched = `
  same_name as materialized (
    select n.resource_id, w.id, w.workspace_id, w.address, w.held_from, w.held_to, w.confirmed_from,
      coalesce(w.holding_from, w.held_from) as began, coalesce(w.holding_id, w.id) as began_as,
      case when starts_with(w.cloud_id, 'arn:') then nullif(split_part(w.cloud_id, ':', 5), '') end as account,
      case when starts_with(w.cloud_id, 'arn:') then nullif(split_part(w.cloud_id, ':', 4), '') end as held_region
    from named n join workspace_resources w on w.organization_id = :organizationId and w.name_key = n.name_key
      -- The key is a digest of the name, so the names are compared too. To make them takes long, and of one ARN
      -- it is one name.
      and case when n.provider = 'aws' and w.cloud_id = n.resource_id and starts_with(n.resource_id, 'arn:') then true
        else cloud_name(w.cloud_id) = billed_name(n.resource_id, n.provider, n.service) end
    group by n.resource_id, w.id),
  same_place as materialized (
    select r.number, s.*, count(*) over one as holders,
      min(s.account) over one as first_account, max(s.account) over one as last_account,
      min(s.held_region) over one as first_region, max(s.held_region) over one as last_region
    from same_name s join resources r on r.resource_id = s.resource_id
      cross join lateral (select starts_with(r.resource_id, 'arn:') as is_arn) f
    where coalesce(s.account = coalesce(
        case when is_arn then nullif(split_part(r.resource_id, ':', 5), '') end,
        case when r.sub_account_id ~ '^[0-9]{1,12}$' then lpad(r.sub_account_id, 12, '0') end), true)
      and coalesce(s.held_region = case when is_arn then nullif(split_part(r.resource_id, ':', 4), '')
        when r.region not in ('', 'global') then r.region end, true)
    window one as (partition by r.number)),
  held as materialized (
    select * from same_place
    where first_account is not distinct from last_account and first_region is not distinct from last_region)`

const spans = `
  edges as (
    select number, '-infinity'::date as day from held
    union select number, held_from from held
    union select number, held_to + 1 from held where held_to is not null),
  ${untilNextEdge},
  owners as materialized (
    select distinct on (s.number, s.from_day) r.resource_id, r.sub_account_id, r.region, s.from_day, s.until_day,
      h.workspace_id, h.id as held_id, h.address
    from spans s join resources r on r.number = s.number join held h on h.number = s.number
      -- Before anybody held it, the first one; on a day, of those that held it the one that began later. A day of a
      -- change has two rows of one holding, of which the newer one counts.
      and (s.from_day = '-infinity' or h.held_from <= s.from_day and coalesce(h.held_to >= s.from_day, true))
    order by s.number, s.from_day, case when s.from_day > '-infinity' then h.began end desc, h.began, h.began_as desc,
      case when s.from_day > '-infinity' then h.held_from end desc, h.held_from, h.id desc)`
