import type { CostWindow } from '../../../domain/finops/cost-query.ts'
import type { StoredUnit } from '../../../store/finops/units/cost-units.ts'
import type { UnitCosts } from '../../../store/finops/units/unit-costs.ts'
import type { UnitBody, UnitDetail, UnitList } from './schemas.ts'

export const presentUnit = (unit: StoredUnit): UnitBody => ({
  id: unit.id,
  name: unit.name,
  unit: unit.unit,
  scopeKind: unit.scopeKind,
  scopeValue: unit.scopeValue,
  createdAt: unit.createdAt.toISOString(),
  updatedAt: unit.updatedAt.toISOString(),
})

/** Amounts are the closest numbers to the exact ones. */
export const presentUnitCosts = (
  unit: StoredUnit,
  { completeThrough, days, total, unconverted }: UnitCosts,
  { currency, from, to }: CostWindow & { currency: string },
): UnitDetail => ({
  unit: presentUnit(unit),
  currency,
  from,
  to,
  completeThrough,
  days: days.map(({ day, cost, value, costPerUnit, isComplete }) => ({
    day,
    cost: Number(cost),
    value: numberOf(value),
    costPerUnit: numberOf(costPerUnit),
    isComplete,
  })),
  total: presentTotal(total),
  unconverted: unconverted.map(presentMoney),
})

export const presentListedUnit = (
  unit: StoredUnit,
  { days, total, unconverted }: UnitCosts,
): UnitList['units'][number] => ({
  ...presentUnit(unit),
  last30Days: {
    ...presentTotal(total),
    unconverted: unconverted.map(presentMoney),
    byDay: days.map(({ costPerUnit, isComplete }) => (isComplete ? numberOf(costPerUnit) : null)),
  },
})

const presentTotal = ({ cost, value, costPerUnit, measured }: UnitCosts['total']) => ({
  cost: Number(cost),
  value: numberOf(value),
  costPerUnit: numberOf(costPerUnit),
  measured: {
    days: measured.days,
    cost: Number(measured.cost),
    value: numberOf(measured.value),
  },
})

const presentMoney = ({ currency, amount }: UnitCosts['unconverted'][number]) => ({
  currency,
  amount: Number(amount),
})

const numberOf = (text: string | null): number | null => (text === null ? null : Number(text))
