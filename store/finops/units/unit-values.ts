import { conflict } from '../../../domain/errors.ts'
import { unwrap, type Tenant } from '../../driver/tenant.ts'

/** The value is decimal text; null where there is to be none. */
export type UnitValue = { day: string; value: string | null }

/** More than 27 years of days. */
const maxValues = 10_000

/**
 * Sets the values of these days, which are all different; other days stay. Returns how many values are not
 * what they were. The caller holds the unit's row, so two calls at once cannot pass the limit or deadlock.
 */
export async function setUnitValues(
  tenant: Tenant,
  unitId: number,
  values: readonly UnitValue[],
): Promise<number> {
  const { db, organizationId } = unwrap(tenant)
  const at = { organizationId, unitId }
  const sent = { ...at, values: JSON.stringify(values) }
  const removed = await db.raw(remove, sent)
  const set = await db.raw(upsert, sent)
  const { rows } = await db.raw(count, at)
  if (rows[0].count > maxValues)
    throw conflict(
      'too_many_values',
      `A unit has values of at most ${maxValues.toLocaleString('en')} days.`,
    )
  return removed.rowCount + set.rowCount
}

const upsert = `
  insert into cost_unit_values (organization_id, unit_id, day, value)
  select :organizationId, :unitId, v.day, v.value
  from jsonb_to_recordset(:values::jsonb) as v (day date, value numeric)
  where v.value is not null
  on conflict (organization_id, unit_id, day) do update set value = excluded.value
    where cost_unit_values.value <> excluded.value`

const remove = `
  delete from cost_unit_values u
  using jsonb_to_recordset(:values::jsonb) as v (day date, value numeric)
  where u.organization_id = :organizationId and u.unit_id = :unitId and u.day = v.day and v.value is null`

const count = `
  select count(*)::integer as count from cost_unit_values
  where organization_id = :organizationId and unit_id = :unitId`
