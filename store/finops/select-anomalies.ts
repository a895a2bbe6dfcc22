import { cutText } from './cut-text.ts'
import { predictedDelta } from './predicted-delta.ts'

/** Of one anomaly. `mostChildBytes`: of the names of those below it, as JSON. */
export const mostOfAnomaly = { mostChildren: 20, mostChildBytes: 8_192, mostRuns: 5 }

/** As those that are read of a bill (gateways/duckdb/program). Bills of before these bounds may have longer texts. */
const nameLength = 2_048
const valueLength = 8_192
const name = (text: string): string => cutText(text, nameLength)

/** SQL: the first day that is shown, as an index has it. `foldedAnomalies` notes that of those below. */
export const firstDay = 'least(a.first_day, a.first_day_below)'

/** SQL: from the lowest to the highest. */
const severities = `array['low', 'medium', 'high']`
const placeOf = (severity: string): string => `array_position(${severities}, ${severity})`

/**
 * Day, kind and drivers are of the dearest of it and those below it: the one that is shown need not be. Amounts are what
 * all their series cost on that day, and their own whole excess. It begins with the first of them, goes on as long as
 * any, and is as severe as the most severe.
 */
export const selectAnomalies = (where: string): string => `
  select a.id, top.series_id, a.parent_id, top.kind, (${severities})[greatest(${placeOf('a.severity')}, k.severity)] as severity,
    a.state, ${firstDay} as first_day,
    greatest(a.last_day, k.last_day) as last_day, top.day, o.actual + k.actual as actual,
    o.expected + k.expected as expected, o.low + k.low as low, o.high + k.high as high, a.impact + k.impact as impact, a.told_impact, a.comment, a.decided_by, a.decided_at,
    a.created_at, a.updated_at, top.drivers, ${name('s.provider')} as provider, ${name('s.service')} as service, s.scope_kind,
    ${name('s.scope_key')} as scope_key, ${cutText('s.scope_value', valueLength)} as scope_value, s.currency,
    b.cloud_account_id as account_id, b.name as source,
    case when k.count = 0 then ${name('s.sub_account_id')} end as sub_account_id, ${name('s.sub_account_id')} as own_sub_account_id,
    a.impact as own_impact, k.children, k.count as child_count, r.runs
  from anomalies a
    join anomaly_series s on s.organization_id = a.organization_id and s.id = a.series_id
    left join billing_sources b on b.organization_id = s.organization_id and b.id = s.source_id
      and b.removed_at is null,
    lateral (${dearest}) top,
    lateral (${ownOfDay}) o,
    lateral (${childrenOf}) k,
    lateral (${runsOf}) r
  where a.organization_id = :organizationId and (b.id is not null or s.source_id is null) and ${where}`

const dearest = `
  select c.series_id, c.kind, c.day, c.drivers from anomalies c
  where c.organization_id = a.organization_id and c.id in (select a.id union all select l.id from anomalies l
    where l.organization_id = a.organization_id and l.parent_id = a.id)
  order by c.impact desc, c.id limit 1`

const ownOfDay = `
  select case when top.day = a.day then a.actual else coalesce(d.actual, 0) end as actual,
    case when top.day = a.day then a.expected else coalesce(d.expected, 0)::numeric end as expected,
    case when top.day = a.day then a.low else coalesce(d.low, 0)::numeric end as low,
    case when top.day = a.day then a.high else coalesce(d.high, 0)::numeric end as high
  from (values (0)) one left join anomaly_days d on d.organization_id = a.organization_id
    and d.series_id = a.series_id and d.day = top.day`

const childrenOf = `
  select count(c.id)::integer as count, max(${placeOf('c.severity')}) as severity,
    max(c.last_day) as last_day,
    coalesce(sum(c.day_actual), 0) as actual,
    coalesce(sum(c.day_expected), 0)::numeric as expected, coalesce(sum(c.day_low), 0)::numeric as low,
    coalesce(sum(c.day_high), 0)::numeric as high, coalesce(sum(c.impact), 0) as impact,
    coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'subAccountId', c.sub_account_id,
      'firstDay', c.first_day, 'lastDay', c.last_day, 'day', c.day, 'expected', c.expected,
      'actual', c.actual, 'impact', c.impact) order by c.place)
      filter (where c.place <= :mostChildren and (c.place = 1 or c.name_bytes <= :mostChildBytes)), '[]') as children
  from (
    select c.*, n.sub_account_id, d.actual as day_actual, d.expected as day_expected, d.low as day_low,
      d.high as day_high, row_number() over dearest as place,
      coalesce(sum(octet_length(to_json(n.sub_account_id)::text)) over dearest, 0) as name_bytes
    from anomalies c
      join anomaly_series cs on cs.organization_id = c.organization_id and cs.id = c.series_id
      left join anomaly_days d on d.organization_id = c.organization_id and d.series_id = c.series_id
        and d.day = top.day
      cross join lateral (select ${name('cs.sub_account_id')} as sub_account_id) n
    where c.organization_id = a.organization_id and c.parent_id = a.id
    window dearest as (order by c.impact desc, c.id)) c`

/** Of those below it too. Each run with its id and number in its workspace's own pipeline. */
const runsOf = `
  select coalesce(jsonb_agg(to_jsonb(u) - 'place' order by u.place), '[]') as runs
  from (
    select p.id as "runId", p.pipeline_id as "pipelineId", p.number, w.id as "workspaceId", w.name as "workspaceName",
      t.ended_at as "appliedAt", t.author_user_id as "authorId", coalesce(o.email, o.name) as "authorLabel", t.origin,
      ${predictedDelta({ run: 't', currency: 's.currency', day: 'a.first_day' })} as "predictedDelta", n.because, n.rise, n.place
    from (
        select n.run_id, max(n.because) as because, sum(n.rise)::float8 as rise,
          row_number() over (order by sum(n.rise) desc, min(n.place), n.run_id desc) as place
        from (select a.id union all select c.id from anomalies c
            where c.organization_id = a.organization_id and c.parent_id = a.id) of (id)
          join anomaly_runs n on n.organization_id = a.organization_id and n.anomaly_id = of.id
        group by n.run_id order by place limit :mostRuns) n
      join workspace_runs t on t.organization_id = a.organization_id and t.id = n.run_id
      join workspaces w on w.organization_id = a.organization_id and w.id = t.workspace_id
      left join users o on o.organization_id = a.organization_id and o.id = t.author_user_id
        and o.deprovisioned_at is null
      cross join lateral (select p.id, p.pipeline_id, p.number from pipeline_runs p
          join pipelines l on l.organization_id = p.organization_id and l.id = p.pipeline_id
        where p.organization_id = a.organization_id and p.workspace_run_id = t.id
        order by l.managed desc, p.id limit 1) p) u`

/**
 * A page of them in this order, up to the one with which it would have more than `mostBytes` as JSON, and at least one.
 * `found`: how many there are without that bound.
 */
export const selectPage = (where: string): string => `
  with page as materialized (${selectAnomalies(where)} order by ${firstDay} desc, a.id desc limit :limit),
  sized as (
    select p.*, count(*) over () as found, row_number() over newest as place,
      sum(octet_length(row_to_json(p)::text)) over newest as bytes
    from page p window newest as (order by p.first_day desc, p.id desc))
  select * from sized where place = 1 or bytes <= :mostBytes order by place`

/** How many there are, at most `most`. */
export const countAnomalies = (where: string): string => `
  select count(*)::integer as count from (
    select from anomalies a
      join anomaly_series s on s.organization_id = a.organization_id and s.id = a.series_id
      left join billing_sources b on b.organization_id = s.organization_id and b.id = s.source_id
        and b.removed_at is null
    where a.organization_id = :organizationId and (b.id is not null or s.source_id is null) and ${where}
    limit :most) c`
