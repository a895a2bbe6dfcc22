import { Type, type Static } from 'typebox'
import { unlearnedReasons } from '../../domain/finops/learned-price.ts'
import { Body, Id, Nullable, OneOf, Text, Time } from '../http/schemas.ts'
import { Currency, Pattern } from '../http/pattern.ts'

const scalars = [Type.String({ maxLength: 1_000 }), Type.Boolean()] as const
/** Refuses 1e400: JSON allows it, JavaScript reads it as Infinity, and jsonb cannot store it. */
const Finite = Type.Number({ minimum: -Number.MAX_VALUE, maximum: Number.MAX_VALUE })

export const PriceBody = Type.Object({
  id: Id,
  provider: Type.String(),
  resourceType: Type.String(),
  match: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
  monthlyPrice: Type.Number(),
  currency: Type.String(),
  validFrom: Type.String({ format: 'date' }),
  source: Type.String({
    description:
      '`bill`: learned from the bills of the organization. `list`: the list of the provider. Any other is of a person.',
  }),
  enabled: Type.Boolean(),
  learned: Type.Optional(
    Type.Object(
      {
        sampleSize: Type.Integer({ description: 'Resources that it was learned from.' }),
        spread: Type.Number({
          description: 'How far resources and their weeks differ: 0.1 is 10 %.',
        }),
        from: Type.String({ format: 'date' }),
        to: Type.String({ format: 'date' }),
        region: Nullable(Type.String()),
      },
      { description: 'Of a price that was learned from the bills.' },
    ),
  ),
  version: Type.Integer(),
  createdAt: Time,
  updatedAt: Time,
})
export type PriceBody = Static<typeof PriceBody>

/** Resources on the bill that have no price. */
export const UnpricedBody = Type.Object({
  id: Id,
  provider: Type.String(),
  resourceType: Type.String(),
  match: PriceBody.properties.match,
  region: Nullable(Type.String()),
  because: OneOf(unlearnedReasons),
  sampleSize: Type.Integer(),
  spread: Nullable(Type.Number()),
  from: Type.String({ format: 'date' }),
  to: Type.String({ format: 'date' }),
})
export type UnpricedBody = Static<typeof UnpricedBody>

const fields = {
  /** `aws`, `hashicorp/aws` or the provider's whole address. */
  provider: Pattern(
    '^[A-Za-z0-9][A-Za-z0-9._:-]*(/[A-Za-z0-9][A-Za-z0-9._-]*){0,2}$',
    'a provider: aws, hashicorp/aws or its whole address',
    { maxLength: 200 },
  ),
  resourceType: Pattern(
    '^[A-Za-z_][A-Za-z0-9_-]*$',
    'a resource type, as aws_instance: letters, digits, "_" and "-", first a letter or "_"',
    { maxLength: 200 },
  ),
  /** Attribute path → value; all must hold. */
  match: Type.Record(
    Pattern('^.{1,200}$', '1 to 200 characters'),
    Type.Union([...scalars, Finite]),
    {
      maxProperties: 20,
      additionalProperties: false,
    },
  ),
  monthlyPrice: Type.Number({ minimum: 0, maximum: 1e15 }),
  currency: Currency,
  /** A range that both PostgreSQL and JavaScript support, and that refuses typing mistakes of a century. */
  validFrom: Pattern('^(19[7-9]|[2-9][0-9]{2})[0-9]-', 'a day from 1970 on, as 2026-01-31', {
    format: 'date',
  }),
  source: Text(200, 1),
}

export const NewPriceBody = Body({
  ...fields,
  match: Type.Optional(fields.match),
  validFrom: Type.Optional(fields.validFrom),
  source: Type.Optional(fields.source),
})
export type NewPriceBody = Static<typeof NewPriceBody>

export const PriceChangeBody = Body({
  provider: Type.Optional(fields.provider),
  resourceType: Type.Optional(fields.resourceType),
  match: Type.Optional(fields.match),
  monthlyPrice: Type.Optional(fields.monthlyPrice),
  currency: Type.Optional(fields.currency),
  validFrom: Type.Optional(fields.validFrom),
  source: Type.Optional(fields.source),
  enabled: Type.Optional(
    Type.Boolean({ description: 'A price that is switched off is kept, and judges no plan.' }),
  ),
})
export type PriceChangeBody = Static<typeof PriceChangeBody>

export const PriceAnswer = Type.Object({ ok: Type.Literal(true), price: PriceBody })
