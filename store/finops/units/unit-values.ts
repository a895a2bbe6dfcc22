import { conflict } from '../../../domain/errors.ts'
import { unwrap, type Tenant } from '../../driver/tenant.ts'

/** The value is decimal text. */
export type UnitValue = { day: string; value: string }

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
  const { rowCount } = await db.raw(upsert, { ...at, values: JSON.stringify(values) })
  const { rows } = await db.raw(count, at)
  if (rows[0].count > maxValues)
    throw conflict(
      'too_many_values',
      `A unit has values of at most ${maxValues.toLocaleString('en')} days.`,
    )
  return rowCount
}

const upsert = `
  insert into cost_unit_values (organization_id, unit_id, day, value)
  select :organizationId, :unitId, v.day, v.value
  from jsonb_to_recordset(:values::jsonb) as v (day date, value numeric)
  on conflict (organization_id, unit_id, day) do update set value = excluded.value
    where cost_unit_values.value <> excluded.value`

const count = `
  select count(*)::integer as count from cost_unit_values
  where organization_id = :organizationId and unit_id = :unitId`
