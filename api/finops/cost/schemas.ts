import { Type, type Static, type TSchema } from 'typebox'
import {
  chargeCategories,
  costBases,
  costGroups,
  costOwners,
} from '../../../domain/finops/cost-query.ts'
import { Pattern, QueryText } from '../../http/pattern.ts'
import { AnomalyBody } from '../anomalies/schemas.ts'
import { QueryDay as Day } from '../query-day.ts'
import { BudgetBody } from '../budgets/schemas.ts'
import { Id, Nullable, OneOf, Time } from '../../http/schemas.ts'

/** Repeated, a filter means `or`. */
const Repeated = <T extends TSchema>(items: T) =>
  Type.Optional(Type.Array(items, { minItems: 1, maxItems: 50 }))
const Word = QueryText({ minLength: 1, maxLength: 500 })
/** Some charges have none: an empty text finds those. */
const WordOrNone = QueryText({ maxLength: 500 })

const AnyDay = Type.String({ format: 'date' })
const Month = Pattern('^(19[7-9]|[2-9][0-9]{2})[0-9]-(0[1-9]|1[0-2])$', 'a month, as 2026-01')

export const windowFields = {
  from: Type.Optional(Day),
  to: Type.Optional(Day),
}
export const basisField = {
  basis: Type.Optional(
    OneOf(costBases, { description: 'effective (amortised, the default), billed or list.' }),
  ),
}
export const filterFields = {
  provider: Repeated(
    QueryText({
      minLength: 1,
      maxLength: 200,
      description: 'aws, azure, gcp, oci, or the name in the bill, in any case.',
    }),
  ),
  service: Repeated(Word),
  accountId: Repeated(Id),
  source: Repeated(
    Pattern('^[a-z0-9-]{1,63}$', 'the source of an upload: 1 to 63 of a-z, 0-9 and -', {
      maxLength: 63,
    }),
  ),
  subAccountId: Repeated(WordOrNone),
  region: Repeated(WordOrNone),
  workspaceId: Repeated(Id),
  chargeCategory: Repeated(OneOf(chargeCategories)),
  tagKey: Type.Optional(QueryText({ minLength: 1, maxLength: 500 })),
  tagValue: Repeated(QueryText({ maxLength: 5_000, description: 'Needs tagKey.' })),
  untagged: Type.Optional(
    Type.Boolean({ description: 'true: only what has no tag of tagKey, which it needs.' }),
  ),
}
const ownerField = {
  owner: Repeated(
    OneOf(costOwners, {
      description:
        'unmanaged: resources on the days on which no workspace held them; unattributed: what has no resource.',
    }),
  ),
}
const format = {
  format: Type.Optional(
    OneOf(['json', 'csv'], { description: 'Without it what Accept says: text/csv is CSV.' }),
  ),
}

export const CostQueryFields = Type.Object(
  { ...windowFields, ...basisField, ...filterFields, ...ownerField, ...format },
  { additionalProperties: false },
)
export type CostQueryFields = Static<typeof CostQueryFields>

export const SeriesQueryFields = Type.Object(
  {
    ...windowFields,
    ...basisField,
    ...filterFields,
    ...ownerField,
    groupBy: Type.Optional(OneOf(costGroups, { description: 'service without it.' })),
    granularity: Type.Optional(OneOf(['day', 'month'], { description: 'day without it.' })),
    top: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 50,
        description: 'How many groups are shown by themselves; 10 without it.',
      }),
    ),
  },
  { additionalProperties: false },
)
export type SeriesQueryFields = Static<typeof SeriesQueryFields>

const Amount = Type.Number()
export const Freshness = Type.Object({
  accountId: Nullable(Id),
  /** The name of an upload. */
  source: Nullable(Type.String()),
  name: Type.String(),
  completeThrough: Nullable(AnyDay),
  ingestedAt: Nullable(Time),
})
const RateInUse = Type.Object({
  month: Month,
  base: Type.String(),
  quote: Type.String(),
  rate: Type.Number(),
})
const Unconverted = Type.Array(Type.Object({ currency: Type.String(), amount: Amount }), {
  description: 'Money without a rate: in no other figure.',
})

export const ByOwner = Type.Object({
  workspaces: Type.Array(Type.Object({ workspaceId: Id, name: Type.String(), amount: Amount })),
  rest: Type.Optional(
    Type.Object(
      { workspaces: Type.Integer(), amount: Amount },
      { description: 'Of workspaces past those that are shown.' },
    ),
  ),
  unmanaged: Amount,
  unattributed: Amount,
})

/** What the payload and the series begin with. */
export const frameFields = {
  currency: Type.String(),
  basis: OneOf(costBases),
  from: AnyDay,
  to: AnyDay,
  total: Amount,
  completeThrough: Nullable(AnyDay),
  freshness: Type.Array(Freshness, { description: 'Of the 200 sources that were loaded last.' }),
  freshnessRest: Type.Optional(
    Type.Object(
      { sources: Type.Integer(), completeThrough: Nullable(AnyDay) },
      { description: 'Of all other sources, where there are any.' },
    ),
  ),
  rates: Type.Array(RateInUse),
  unconverted: Unconverted,
}

export const payloadFields = {
  ...frameFields,
  spendByCloud: Type.Array(Type.Object({ provider: Type.String(), amount: Amount }), {
    description: 'Dearest first. Past 200 providers a last entry, (other), has all others.',
  }),
  spendByService: Type.Array(
    Type.Object({ provider: Type.String(), service: Type.String(), amount: Amount }),
    {
      description:
        'Dearest first. Past 1,000 services a last entry, with (other) as provider and service, has all others.',
    },
  ),
  daily: Type.Array(
    Type.Object({
      day: AnyDay,
      amount: Amount,
      byProvider: Type.Record(Type.String(), Amount, {
        description:
          'Of the 200 dearest providers, in a window of over 50 days of 10,000 divided by its days; (other) has all others.',
      }),
    }),
  ),
  tagKey: Nullable(Type.String()),
  byTag: Type.Array(Type.Object({ tag: Type.String(), amount: Amount })),
  byTagRest: Type.Object({ tags: Type.Integer(), amount: Amount }),
  byOwner: ByOwner,
  anomalies: Type.Array(AnomalyBody),
  budgets: Type.Array(BudgetBody),
}

const Payload = Type.Object({ empty: Type.Literal(false), ...payloadFields })
type Payload = Static<typeof Payload>
/** `{ "empty": true }` alone, or all but `byTagRest`, which is there where not all tags are shown. */
export type CostBody =
  | { empty: true }
  | (Omit<Payload, 'byTagRest'> & Partial<Pick<Payload, 'byTagRest'>>)
export const CostBody = Type.Unsafe<CostBody>(
  Type.Object(
    { empty: Type.Boolean(), ...Type.Partial(Type.Object(payloadFields)).properties },
    {
      description:
        'empty: true stands alone: the organization has no cost yet. Else all fields are there; byTagRest past 1,000 tags.',
    },
  ),
)

const Group = Type.Object({
  key: Nullable(Type.String()),
  label: Type.String(),
  total: Amount,
  amounts: Type.Array(Amount),
})
export const SeriesBody = Type.Object({
  ...frameFields,
  groupBy: OneOf(costGroups),
  granularity: OneOf(['day', 'month']),
  tagKey: Nullable(Type.String()),
  points: Type.Array(Type.String(), {
    description: 'Days or months (YYYY-MM); amounts are in their order.',
  }),
  groups: Type.Array(Group),
  rest: Type.Object({ groups: Type.Integer(), total: Amount, amounts: Type.Array(Amount) }),
})
export type SeriesBody = Static<typeof SeriesBody>
