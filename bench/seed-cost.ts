import type { Knex } from 'knex'
import { mergeSlices } from '../app/finops/merge-slices.ts'
import type { Store } from '../store/driver/connect.ts'
import { rollUp } from '../store/finops/roll-up.ts'

const accounts = 20
const services = 60
/** Of each account, one charge a day each if there are 10,000,000 charges. */
const resources = 1_370
const workspaces = 25

type Seeded = { owner: Knex; store: Store }
type Slice = { id: number; sourceId: number; period: string; firstDay: string; days: number }

/**
 * So many charges of one organization in the newest 12 months: 20 accounts with a bill each month, 60 services, up to
 * three regions of each, two tags, and a third of the resources held by workspaces. Sums as the product makes them.
 */
export async function seedCost({ owner, store }: Seeded, charges: number): Promise<void> {
  const { rows } = await owner.raw('select min(id) as id from organizations')
  const organizationId: number = rows[0].id
  const slices = await makeSlices(owner, organizationId)
  await holdResources(owner, organizationId)
  const perDay = charges / slices.reduce((sum, { days }) => sum + days, 0)
  const left = [...slices]
  const fill = async () => {
    for (let slice = left.shift(); slice; slice = left.shift()) {
      const { id, sourceId, period } = slice
      await addCharges(owner, organizationId, { ...slice, perDay })
      await store.tenant(organizationId, async (tenant) => rollUp(tenant, { id, sourceId, period }))
    }
  }
  await Promise.all([fill(), fill()])
  await owner.raw('insert into cost_versions (organization_id) values (?)', [organizationId])
  await mergeSlices(store, organizationId)
  for (const table of sums) await owner.raw(`vacuum (analyze) ${table}`)
  await owner.raw('analyze focus_charges')
}

const sums = [
  'billing_slices',
  'cost_daily',
  'cost_tag_daily',
  'cost_tag_keys',
  'cost_monthly',
  'cost_tag_monthly',
  'cost_days',
  'cost_resources',
  'merged_slices',
]

async function makeSlices(owner: Knex, organizationId: number): Promise<Slice[]> {
  await owner.raw(
    `insert into billing_sources (organization_id, name) select ?, 'account-' || i from generate_series(1, ?::integer) i`,
    [organizationId, accounts],
  )
  await owner.raw(
    `insert into billing_ingests (organization_id, trigger, state, ended_at) values (?, 'upload', 'succeeded', now())`,
    [organizationId],
  )
  const { rows } = await owner.raw(
    `insert into billing_slices (organization_id, ingest_id, source_id, period, state, is_current, first_day, last_day,
       complete_through, loaded_at, has_charges)
     select b.organization_id, i.id, b.id, m::date, 'loaded', true, m::date, d.last, d.last, now(), true
     from generate_series(date_trunc('month', now()) - interval '11 months', now(), interval '1 month') m,
       billing_sources b, billing_ingests i,
       lateral (select least(m + interval '1 month' - interval '1 day', now())::date as last) d
     order by m, b.id
     returning id, source_id as "sourceId", period, first_day as "firstDay", last_day - first_day + 1 as days`,
  )
  const periods: string[] = rows.map(({ period }: Slice) => period)
  for (const period of new Set(periods)) {
    const made = await owner.raw('select ensure_charge_partition(?) as name', [period])
    // Half of the writing; reads are the same.
    await owner.raw(`alter table ${made.rows[0].name} set unlogged`)
  }
  return rows
}

const idOf = (account: string, resource: string): string =>
  `case when ${account} % 2 = 0
    then 'arn:aws:ec2:eu-west-1:1234567890' || lpad((${account})::text, 2, '0') || ':instance/i-' || lpad(to_hex(${resource}), 17, '0')
    else '/subscriptions/sub-' || ${account} || '/resourcegroups/shop/providers/microsoft.compute/virtualmachines/vm-' || ${resource} end`

/** Those of every third group of resources; all of one service in one workspace. */
async function holdResources(owner: Knex, organizationId: number): Promise<void> {
  await owner.raw(
    `insert into workspaces (organization_id, name) select ?, 'held-' || i from generate_series(0, ?::integer - 1) i`,
    [organizationId, workspaces],
  )
  await owner.raw(
    `insert into workspace_resources (organization_id, workspace_id, cloud_id, address, type, provider, attributes, held_from)
     select w.organization_id, w.id, ${idOf('b.id % 100', 'k')}, 'held.a[' || b.id * 10000 + k || ']', 'aws_instance', 'aws', '{}',
       current_date - 700
     from billing_sources b, generate_series(0, :resources::integer - 1) k
       join workspaces w on w.organization_id = :organizationId
         and w.name = 'held-' || k % :services::integer % :workspaces::integer
     where b.organization_id = :organizationId and k / :services::integer % 3 = 1`,
    { organizationId, resources, services, workspaces },
  )
}

// oxlint-disable-next-line max-params -- where, and what
async function addCharges(
  owner: Knex,
  organizationId: number,
  { id, sourceId, period, firstDay, days, perDay }: Slice & { perDay: number },
): Promise<void> {
  const charges = Math.round(days * perDay)
  const partition = `focus_charges_${period.slice(0, 7).replace('-', '_')}`
  await owner.raw(
    `insert into ${partition} (organization_id, slice_id, period, day, digest, provider, provider_name, billed_cost,
      effective_cost, list_cost, contracted_cost, pricing_quantity, consumed_quantity, billing_currency, charge_category,
      service_name, sub_account_id, region_id, resource_id, resource_name, sku_id, charge_description, tags)
    select :organizationId, :id, :period::date, :firstDay::date + least(:days::integer - 1, floor(n / :perDay::float8)::integer),
      gen_random_uuid(), case when :account::integer % 2 = 0 then 'aws' else 'azure' end,
      case when :account::integer % 2 = 0 then 'AWS' else 'Microsoft' end, a.amount, a.amount * 0.97, a.amount * 1.2, a.amount,
      24, 24, 'USD', case when v % 10 = 0 then 'Tax' else 'Usage' end, 'service-' || v, 'sub-' || :account::integer,
      'region-' || r, case when v % 10 > 0 then ${idOf(':account::integer', 'k')} end,
      case when v % 10 > 0 then 'machine ' || k end, 'SKU-' || k % 500, 'On demand ' || k % 500,
      jsonb_build_object('team', 'team-' || (v * 7 + r) % 20, 'env', 'env-' || v % 3)
    from generate_series(0, :charges::integer - 1) n,
      lateral (select (n::bigint * 97 % :resources::integer)::integer as k) k,
      lateral (select k % :services::integer as v, (k % :services::integer + k / :services::integer % 3) % 8 as r) v,
      lateral (select ((k % 991 + 1) * 737 + n % 31) * 0.00001 as amount) a`,
    {
      organizationId,
      id,
      period,
      firstDay,
      days,
      perDay,
      charges,
      account: sourceId % 100,
      resources,
      services,
    },
  )
  await owner.raw('update billing_slices set records = ? where id = ?', [charges, id])
}
