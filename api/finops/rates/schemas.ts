import { Type, type Static } from 'typebox'
import { Currency, Pattern } from '../../http/pattern.ts'
import { Body, Id, OneOf, Time } from '../../http/schemas.ts'

const fields = {
  month: Pattern('^20[0-9]{2}-(0[1-9]|1[0-2])$', 'a month from 2000 on, as 2026-01', {
    maxLength: 7,
  }),
  base: Currency,
  quote: Currency,
  rate: Type.Number({ exclusiveMinimum: 0, maximum: 1e12 }),
}
export const NewRateBody = Body(fields)
export type NewRateBody = Static<typeof NewRateBody>

export const RateBody = Type.Object({
  id: Id,
  month: Type.String(),
  base: Type.String(),
  quote: Type.String(),
  rate: Type.Number(),
  kind: OneOf(['person', 'ecb']),
  createdAt: Time,
  updatedAt: Time,
})
export type RateBody = Static<typeof RateBody>
