import { matched, namedIn, untilNextEdge } from './owners-by-day.ts'

/**
 * SQL: `resources` and `holds`, for the WITH clause of a statement that has the slices of bills as `window_slices`
 * and their ids as `sliceIds`. A resource has a number for each source, account and region that names it. `holds` has
 * the days on which a row of a state held it alone: what size it was before, no state says. One span until the size
 * was confirmed and one since (`is_confirmed`): of two rows that held it on a day the confirmed one is the owner. On
 * its last day a row ceded the resource to another size or owner, so that day is not its own. All but the names of
 * the resources is joined and grouped by numbers.
 */
export const ownersBySize = `
  ${namedIn('slice_id = any(:sliceIds::integer[])')},
  resources as materialized (
    select row_number() over ()::integer as number, r.* from (
      select l.source_id, l.from_day as window_from, l.to_day, c.resource_id, c.sub_account_id, c.region,
        min(c.first_day) as first_day, max(c.last_day) as last_day
      from cost_resources c join window_slices l on l.id = c.slice_id
      where c.organization_id = :organizationId and c.slice_id = any(:sliceIds::integer[])
        and c.resource_id in (select resource_id from named)
      group by 1, 2, 3, 4, 5, 6) r),
  ${matched},
  -- Nearly all: what one row alone held needs no comparison of rows.
  alone as (
    select number, id as held_id, false as is_confirmed, held_from as from_day,
      coalesce(confirmed_from, held_to, 'infinity') as until_day
    from held where holders = 1
    union all
    select number, id, true, confirmed_from, coalesce(held_to, 'infinity')
    from held where holders = 1 and confirmed_from is not null),
  edges as (
    select number, held_from as day from held where holders > 1
    union select number, confirmed_from from held where holders > 1 and confirmed_from is not null
    union select number, held_to from held where holders > 1 and held_to is not null),
  ${untilNextEdge},
  shared as (
    select distinct on (s.number, s.from_day) s.number, h.id as held_id,
      coalesce(h.confirmed_from <= s.from_day, false) as is_confirmed, s.from_day, s.until_day
    from spans s join held h on h.number = s.number
      and h.held_from <= s.from_day and coalesce(h.held_to > s.from_day, true)
    order by s.number, s.from_day, coalesce(h.confirmed_from <= s.from_day, false) desc, h.held_from desc, h.id desc),
  holds as materialized (
    select * from alone where from_day < until_day
    union all
    select number, held_id, is_confirmed, min(from_day), max(until_day) from shared group by 1, 2, 3)`
