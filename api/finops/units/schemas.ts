import { Type, type Static } from 'typebox'
import { costScopeKinds } from '../../../domain/finops/cost-scope.ts'
import { OneLine } from '../../http/one-line.ts'
import { Body, Id, NextCursor, Nullable, OneOf, Time } from '../../http/schemas.ts'
import { frameFields } from '../cost/schemas.ts'
import { QueryDay as Day } from '../query-day.ts'
import { scopeFields } from '../scope-columns.ts'

export const UnitBody = Type.Object({
  id: Id,
  name: Type.String(),
  unit: Type.String({ description: 'What one of it is called, as order.' }),
  scopeKind: OneOf(costScopeKinds),
  scopeValue: Nullable(Type.String()),
  createdAt: Time,
  updatedAt: Time,
})
export type UnitBody = Static<typeof UnitBody>

const Amount = Type.Number()
const PerUnit = Nullable(
  Type.Number({
    description:
      'Of twelve decimals. Null without a value, where it is 0, and where money of the day has no rate.',
  }),
)
const Total = Type.Object({
  cost: Amount,
  value: Nullable(Amount),
  costPerUnit: Nullable(
    Type.Number({ description: 'Of the measured days: their cost divided by their values.' }),
  ),
  measured: Type.Object(
    { days: Type.Integer(), cost: Amount, value: Nullable(Amount) },
    {
      description:
        'The days that have a value, whose bills are complete, and whose money has a rate.',
    },
  ),
})
const CompleteThrough = Nullable(
  Type.String({
    format: 'date',
    description:
      'The day up to which the bills with cost in the scope are complete. Null where no more is expected of them.',
  }),
)
const { currency, from, to, unconverted } = frameFields

export const UnitList = Type.Object({
  currency,
  from,
  to,
  units: Type.Array(
    Type.Object({
      ...UnitBody.properties,
      last30Days: Type.Object({
        ...Total.properties,
        unconverted,
        byDay: Type.Array(Nullable(Amount), {
          description:
            'The cost per unit of each day from `from` to `to`; null where not measured.',
        }),
      }),
    }),
  ),
  nextCursor: NextCursor,
})
export type UnitList = Static<typeof UnitList>

export const UnitDetail = Type.Object({
  unit: UnitBody,
  currency,
  from,
  to,
  completeThrough: CompleteThrough,
  days: Type.Array(
    Type.Object({
      day: Type.String({ format: 'date' }),
      cost: Amount,
      value: Nullable(Amount),
      costPerUnit: PerUnit,
      isComplete: Type.Boolean({
        description:
          'The bills are complete, and all money has a rate. Only such days are measured.',
      }),
    }),
  ),
  total: Total,
  unconverted,
})
export type UnitDetail = Static<typeof UnitDetail>

const fields = { name: OneLine(200), unit: OneLine(60), ...scopeFields }

export const NewUnitBody = Body({
  name: fields.name,
  unit: fields.unit,
  scopeKind: fields.scopeKind,
  scopeValue: Type.Optional(fields.scopeValue),
})
export type NewUnitBody = Static<typeof NewUnitBody>

export const UnitChangeBody = Body({
  name: Type.Optional(fields.name),
  unit: Type.Optional(fields.unit),
  scopeKind: Type.Optional(fields.scopeKind),
  scopeValue: Type.Optional(fields.scopeValue),
})
export type UnitChangeBody = Static<typeof UnitChangeBody>

export const UnitValuesBody = Body({
  values: Type.Array(
    Body({
      day: Day,
      value: Nullable(Type.Number({ minimum: 0, maximum: 1e15, description: 'Null removes it.' })),
    }),
    {
      minItems: 1,
      maxItems: 10_000,
    },
  ),
})
export type UnitValuesBody = Static<typeof UnitValuesBody>

export const UnitAnswer = Type.Object({ ok: Type.Literal(true), unit: UnitBody })
export const UnitValuesAnswer = Type.Object({
  ok: Type.Literal(true),
  values: Type.Integer({ description: 'How many were sent.' }),
  changed: Type.Integer({ description: 'How many are new, removed, or other than they were.' }),
})
