import type { Knex } from 'knex'

/**
 * An inventory of this many resources in 20 accounts of three clouds. Shares are the same whatever
 * the size: a service has from 20 % to 0.01 % of all, a team 0.5 %, an owner 0.02 %. Resources of one
 * account and region are stored together, as syncs do. The bills of this month and the last one have each of them.
 */
export async function seedResources(owner: Knex, count: number): Promise<void> {
  await owner.raw(
    `insert into cloud_accounts (organization_id, provider, account_id, name, credentials, credentials_kind)
     select o.id, (array['aws', 'aws', 'azure', 'gcp'])[1 + i % 4], (123456789000 + i)::text, 'account ' || i,
       '\\x00', 'keys'
     from (select min(id) as id from organizations) o, generate_series(1, 20) i`,
  )
  await owner.raw(
    `insert into cloud_places (organization_id, cloud_account_id, region, service, looked_at)
     select organization_id, id, 'region-' || r, '', now() from cloud_accounts, generate_series(1, 10) r`,
  )
  // To create the index afterwards is faster than to maintain it for a million rows.
  const { rows } = await owner.raw(
    `select pg_get_indexdef('cloud_resources_terms'::regclass) as index`,
  )
  await owner.raw('drop index cloud_resources_terms')
  await owner.raw(
    `insert into cloud_resources
       (organization_id, cloud_account_id, place_id, provider, cloud_id, service, type, name, region, tags, digest, state)
     select p.organization_id, p.cloud_account_id, p.id, a.provider,
       'arn:aws:service:' || p.region || ':' || a.account_id || ':thing/' || md5(n::text),
       s.service, s.service || ':type-' || n % 7, 'prod-thing-' || md5('name' || n), p.region,
       jsonb_build_object('env', (array['prod', 'test', 'dev'])[1 + n % 3], 'team', 'team-' || n::bigint * 7919 % 200,
         'owner', 'person-' || n::bigint * 104729 % 5000, 'Name', 'thing ' || n)
         || case when n % 1000 = 1 then '{"legacy": "yes"}'::jsonb else '{}' end,
       'x', case when n % 50 = 0 then 'gone' else 'present' end
     from (select row_number() over (order by id) as nth, * from cloud_places) p
       join cloud_accounts a on a.id = p.cloud_account_id,
       lateral generate_series((p.nth - 1) * ?::integer / 200 + 1, p.nth * ?::integer / 200) as n (n),
       lateral (select 'service-' || floor(power(n::bigint * 15485863 % 10007 / 10007.0, 3) * 100) as service) s`,
    [count, count],
  )
  await owner.raw(rows[0].index)
  await holdResources(owner)
  for (const statement of bills) await owner.raw(statement)
  // As autovacuum leaves tables that are not being written.
  for (const table of ['cloud_resources', 'workspace_resources', 'cost_resources'])
    await owner.raw(`vacuum (analyze) ${table}`)
}

async function holdResources(owner: Knex): Promise<void> {
  await owner.raw(
    `insert into workspaces (organization_id, name)
     select min(o.id), 'held-' || i from organizations o, generate_series(1, 25) i group by i`,
  )
  await owner.raw(
    `insert into workspace_resources
       (organization_id, workspace_id, cloud_id, address, type, provider, attributes, held_from)
     select r.organization_id, w.id, r.cloud_id, 'aws_thing.of["' || n || '"]', 'aws_thing', 'aws', '{}', '2026-01-01'
     from cloud_resources r, lateral (select substr(r.tags ->> 'Name', 7)::integer as n) t
       join workspaces w on w.name = 'held-' || case when n % 500 = 7 then 25 else 1 + n / 5 % 24 end
     where n % 5 = 1 or n % 500 = 7`,
  )
}

const bills = [
  `insert into billing_sources (organization_id, name) select min(id), 'bill' from organizations`,
  `insert into billing_ingests (organization_id, trigger, state, ended_at)
   select min(id), 'upload', 'succeeded', now() from organizations`,
  `insert into billing_slices (organization_id, ingest_id, source_id, period, state, is_current, provider_names, first_day,
     last_day, complete_through, loaded_at, rolled_up_at)
   select b.organization_id, i.id, b.id, m::date, 'loaded', true, '{"aws": ["AWS"]}', m::date, d.last, d.last, now(), now()
   from billing_sources b join billing_ingests i on i.organization_id = b.organization_id,
     generate_series(date_trunc('month', current_date) - interval '1 month', date_trunc('month', current_date),
       interval '1 month') m,
     lateral (select least(m + interval '1 month' - interval '1 day', current_date)::date as last) d`,
  `insert into cost_resources (organization_id, slice_id, resource_id, provider, service, region, currency, first_day,
     last_day, billed, effective, list, recent_days, recent_effective)
   with slices as materialized (
     select s.*, (select array_agg(d::date) from generate_series(greatest(first_day, current_date - 30), last_day,
         interval '1 day') d) as recent_days
     from billing_slices s)
   select r.organization_id, s.id, r.cloud_id, r.provider, 'Service', r.region, 'USD', s.first_day, s.last_day, 1, 1, 1,
     s.recent_days, array_fill(1.123456::numeric, array[cardinality(s.recent_days)])
   from cloud_resources r cross join slices s`,
]
