import type { Caller } from '../../../domain/access/caller.ts'
import { invalid, type ErrorDetail } from '../../../domain/errors.ts'
import { actorOf, auditLog } from '../../../store/audit/audit-log.ts'
import { costUnits } from '../../../store/finops/units/cost-units.ts'
import { setUnitValues, type UnitValue } from '../../../store/finops/units/unit-values.ts'
import type { Deps } from '../../deps.ts'
import { assertTagKey } from './assert-tag-key.ts'
import { decimalText } from '../decimal-text.ts'
import type { UnitValuesBody } from './schemas.ts'

/** Sets the values of the days that are named; the others stay. Returns how many are not what they were. A value of null removes one. */
export async function putUnitValues(
  { store }: Deps,
  caller: Caller,
  { id, values }: { id: number } & UnitValuesBody,
): Promise<number> {
  const wanted = valuesOf(values)
  return store.tenant(caller.organizationId, async (tenant) => {
    const { name, ...scope } = await costUnits(tenant).getForUpdate(id)
    await assertTagKey(tenant, scope)
    const changed = await setUnitValues(tenant, id, wanted)
    if (changed === 0) return 0
    await costUnits(tenant).update(id)
    const removed = wanted.filter(({ value }) => value === null).length
    const days = wanted.map(({ day }) => day).toSorted()
    await auditLog(tenant, actorOf(caller)).record('finops.unit_values_set', {
      target: { kind: 'unit', id, label: name },
      detail: {
        values: wanted.length,
        changed,
        ...(removed > 0 && { removed }),
        from: days[0],
        to: days.at(-1),
      },
    })
    return changed
  })
}

/** So many places are named of a body with many faults, as by the schema. */
const mostFaults = 20

/** Exact values, each of another day. */
function valuesOf(values: UnitValuesBody['values']): UnitValue[] {
  const faults: ErrorDetail[] = []
  const places = new Map<string, number>()
  const wanted = values.map(({ day, value }, at): UnitValue => {
    const first = places.get(day)
    if (first !== undefined)
      faults.push({ path: `values.${at}.day`, message: `${day} is in values.${first} already` })
    else places.set(day, at)
    if (value === null) return { day, value }
    const text = decimalText(value)
    if (text === undefined)
      faults.push({ path: `values.${at}.value`, message: 'is 0, or at least 0.000000000001' })
    return { day, value: text ?? '0' }
  })
  const [first] = faults
  if (first)
    throw invalid(
      `${first.path}: ${first.message}.`,
      faults.slice(0, mostFaults),
      'validation_failed',
    )
  return wanted
}
