import type { CostScope } from '../../../domain/finops/cost-scope.ts'
import type { CostWindow } from '../../../domain/finops/cost-query.ts'
import { unwrap, type Tenant } from '../../driver/tenant.ts'
import { currenciesAtMost, readSettings } from '../cost/cost-rows.ts'
import { scopedCost, sourcesInScope } from '../cost/scoped-cost.ts'

/** Amounts and values are decimal text. */
export type UnitDay = {
  day: string
  cost: string
  value: string | null
  /** Null without a value, where it is 0, and where a part of the cost is not known. */
  costPerUnit: string | null
  /** The bills of the unit's scope are complete on this day, and all its money has a rate. */
  isComplete: boolean
}

export type UnitCosts = {
  unitId: number
  /** Null where no more is expected of the bills that have its cost, and where there is none. */
  completeThrough: string | null
  /** Each day of the window. */
  days: UnitDay[]
  total: {
    cost: string
    value: string | null
    costPerUnit: string | null
    /** The days that have a value and are complete, which the cost per unit is of. */
    measured: { days: number; cost: string; value: string | null }
  }
  unconverted: Array<{ currency: string; amount: string }>
}

export type UnitCostsQuery = CostWindow & {
  units: ReadonlyArray<CostScope & { id: number }>
  /** The organization's. */
  currency: string
  /** The key whose absence is `untagged`. */
  tagKey: string | null
  /** `YYYY-MM-DD`, UTC. */
  today: string
}

/** What each day of a window cost in the scopes of these units, and each one of the unit, in one statement. */
export async function unitCosts(
  tenant: Tenant,
  { units, ...query }: UnitCostsQuery,
): Promise<Map<number, UnitCosts>> {
  if (units.length === 0) return new Map()
  const { db, organizationId } = unwrap(tenant)
  await db.raw(readSettings)
  const { rows }: { rows: UnitCosts[] } = await db.raw(
    statementOf(units.map(({ scopeKind }) => scopeKind)),
    { organizationId, ids: units.map(({ id }) => id), ...query },
  )
  return new Map(rows.map((row) => [row.unitId, row]))
}

/** A quotient has no exact decimal text: it is rounded to as many decimals as money has. */
const quotient = (cost: string, value: string): string => `round(${cost} / nullif(${value}, 0), 12)`

const isMeasured = 'value is not null and is_complete'

const statementOf = (kinds: ReadonlyArray<CostScope['scopeKind']>): string => `
  with ${scopedCost({
    table: 'cost_units',
    kinds,
    reads: (day) => `${day} between :from::date and :to::date`,
  })},
  complete as (
    select id, min(complete_through) filter (where is_expected) as through
    from (${sourcesInScope}) s group by 1),
  costs as materialized (
    select id, day, sum(value) as cost from scope_costs where value is not null group by 1, 2),
  -- Their cost is too small, by money that has no rate.
  unrated_days as (select distinct id, day from scope_costs where value is null),
  days as materialized (
    select w.id, d.day, coalesce(c.cost, 0) as cost, v.value, u.day is null and w.is_known as is_known,
      u.day is null and w.is_known and coalesce(d.day <= coalesce(e.through, n.through), true) as is_complete
    -- Without the settings' key, what has no tag of it is not known.
    from (select id, scope_kind <> 'tag' or tag_key is not null as is_known from wanted) w
      cross join (select :from::date + n as day from generate_series(0, :to::date - :from::date) n) d
      left join costs c on c.id = w.id and c.day = d.day
      left join unrated_days u on u.id = w.id and u.day = d.day
      left join complete e on e.id = w.id
      -- Without any cost in the window: whose cost would come is not known.
      left join (select min(complete_through) filter (where is_expected) as through from sources) n on e.id is null
      left join cost_unit_values v
        on v.organization_id = :organizationId and v.unit_id = w.id and v.day = d.day),
  of_days as (
    select id, sum(cost) as cost, sum(value) as value,
      count(*) filter (where ${isMeasured})::integer as days,
      coalesce(sum(cost) filter (where ${isMeasured}), 0) as measured_cost,
      sum(value) filter (where ${isMeasured}) as measured_value,
      json_agg(json_build_object('day', day, 'cost', cost::text, 'value', trim_scale(value)::text,
        'costPerUnit', case when is_known then ${quotient('cost', 'value')}::text end, 'isComplete', is_complete) order by day) as by_day
    from days group by id),
  unrated as (
    select id, json_agg(json_build_object('currency', currency, 'amount', amount::text) order by currency) as money
    from (select id, currency, sum(amount) as amount, row_number() over (partition by id order by currency) as place
      from scope_costs where value is null group by 1, 2 having sum(amount) <> 0) u
    where place <= ${currenciesAtMost} group by id)
  select d.id as "unitId", e.through::text as "completeThrough", d.by_day as days,
    json_build_object('cost', d.cost::text, 'value', trim_scale(d.value)::text,
      'costPerUnit', ${quotient('d.measured_cost', 'd.measured_value')}::text,
      'measured', json_build_object('days', d.days, 'cost', d.measured_cost::text,
        'value', trim_scale(d.measured_value)::text)) as total,
    coalesce(u.money, '[]') as unconverted
  from of_days d left join complete e on e.id = d.id left join unrated u on u.id = d.id
  order by d.id`
