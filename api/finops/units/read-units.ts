import { dayAfter } from '../../../domain/finops/anomalies/days.ts'
import type { CostWindow } from '../../../domain/finops/cost-query.ts'
import type { Tenant } from '../../../store/driver/tenant.ts'
import { withinWindow } from '../../../store/finops/cost/within-window.ts'
import { costUnits, type StoredUnit } from '../../../store/finops/units/cost-units.ts'
import { unitCosts } from '../../../store/finops/units/unit-costs.ts'
import { organizationSettings } from '../../../store/organizations/settings.ts'
import { decodeCursor, page } from '../../http/paging.ts'
import { presentListedUnit, presentUnitCosts } from './present-unit.ts'
import type { UnitDetail, UnitList } from './schemas.ts'

const listedDays = 30

/** Units by id, with the cost of each in the newest 30 days. */
export async function listUnits(
  tenant: Tenant,
  { limit, cursor, now = new Date() }: { limit: number; cursor?: string | undefined; now?: Date },
): Promise<UnitList> {
  const found = await costUnits(tenant).list(limit + 1, decodeCursor(cursor, 0))
  const { rows, nextCursor } = page(found, limit)
  const { currency, tagKey } = await organizationSettings(tenant)
  const today = now.toISOString().slice(0, 10)
  const window = { from: dayAfter(today, 1 - listedDays), to: today }
  const costs = await withinWindow(tenant, async () =>
    unitCosts(tenant, { units: rows, currency, tagKey, today, ...window }),
  )
  const units = rows.flatMap((unit) => {
    const own = costs.get(unit.id)
    return own ? [presentListedUnit(unit, own)] : []
  })
  return { currency, ...window, units, nextCursor }
}

type Read = CostWindow & { unit: StoredUnit; currency: string; tagKey: string | null }

/** What each day of a window cost, and each one of the unit. */
export async function readUnit(
  tenant: Tenant,
  { unit, currency, tagKey, from, to }: Read,
  now = new Date(),
): Promise<UnitDetail> {
  const today = now.toISOString().slice(0, 10)
  const costs = await withinWindow(tenant, async () =>
    unitCosts(tenant, { units: [unit], currency, tagKey, today, from, to }),
  )
  const own = costs.get(unit.id)
  if (!own) throw new Error('a unit has no cost')
  return presentUnitCosts(unit, own, { currency, from, to })
}
