import type { Knex } from 'knex'

/**
 * So many resources of one workspace with a charge on each of the newest 30 days: 50 types of instances in 4
 * regions, a price each, with a discount and a little noise.
 */
export async function seedBilledResources(owner: Knex, resources: number): Promise<number> {
  const { rows } = await owner.raw(
    'select organization_id as "organizationId", id from workspaces order by id limit 1',
  )
  const { organizationId, id: workspaceId } = rows[0]
  const at = { organizationId, workspaceId, resources }
  for (const statement of statements) await owner.raw(statement, at)
  for (const name of tables) await owner.raw(`vacuum (analyze) ${name}`)
  return organizationId
}

const tables = ['billing_slices', 'focus_charges', 'cost_resources', 'workspace_resources']
const idOf = `'arn:aws:ec2:region-' || n % 4 || ':123456789012:instance/i-' || md5(n::text)`

const statements = [
  `insert into workspace_resources (organization_id, workspace_id, cloud_id, address, type, provider, attributes, held_from,
     confirmed_from)
   select :organizationId, :workspaceId, ${idOf}, 'aws_instance.a[' || n || ']', 'aws_instance', 'aws',
     jsonb_build_object('instance_type', 'm5.' || n % 50 || 'xlarge', 'ebs_optimized', true), current_date - 90,
     current_date - 90
   from generate_series(0, :resources::integer - 1) n`,
  `insert into billing_sources (organization_id, name) values (:organizationId, 'bill')`,
  `insert into billing_ingests (organization_id, trigger, state, ended_at)
   values (:organizationId, 'upload', 'succeeded', now())`,
  `insert into billing_slices (organization_id, ingest_id, source_id, period, state, is_current, provider_names,
     first_day, last_day, complete_through, loaded_at, has_charges, rolled_up_at)
   select :organizationId, i.id, b.id, m::date, 'loaded', true, '{"aws": ["AWS"]}', greatest(m::date, current_date - 30),
     d.last, d.last, now(), true, now()
   from billing_sources b, billing_ingests i, generate_series(date_trunc('month', current_date - 30),
       date_trunc('month', current_date - 1), interval '1 month') m,
     lateral (select least(m + interval '1 month' - interval '1 day', current_date - 1)::date as last) d
   where b.organization_id = :organizationId and b.name = 'bill' and i.organization_id = :organizationId`,
  `select ensure_charge_partition(period) from billing_slices where organization_id = :organizationId`,
  `insert into focus_charges (organization_id, slice_id, period, day, digest, provider, provider_name, billed_cost,
     effective_cost, list_cost, billing_currency, charge_category, service_name, sub_account_id, region_id, resource_id,
     sku_id, charge_description, tags)
   select :organizationId, s.id, s.period, d::date, md5(n || ' ' || d)::uuid, 'aws', 'AWS', a.amount * 0.9,
     a.amount * 0.85, a.amount, 'USD', 'Usage', 'Amazon Elastic Compute Cloud', '123456789012', 'region-' || n % 4,
     ${idOf}, 'SKU' || n % 50, 'm5.' || n % 50 || 'xlarge', '{"team": "a"}'
   from billing_slices s, generate_series(s.first_day, s.last_day, interval '1 day') d,
     generate_series(0, :resources::integer - 1) n,
     lateral (select ((n % 50 + 1) * 2.4 * (1 + (n * 31 + extract(doy from d)::integer * 7) % 11 / 200.0))::numeric(30, 12)
       as amount) a
   where s.organization_id = :organizationId`,
  `insert into cost_resources (organization_id, slice_id, resource_id, provider, service, sub_account_id, region,
     currency, first_day, last_day, billed, effective, list)
   select organization_id, slice_id, resource_id, 'aws', min(service_name), min(sub_account_id),
     min(region_id), 'USD', min(day), max(day), sum(billed_cost), sum(effective_cost), sum(list_cost)
   from focus_charges where organization_id = :organizationId group by 1, 2, 3`,
  `insert into cost_versions (organization_id) values (:organizationId)`,
]
