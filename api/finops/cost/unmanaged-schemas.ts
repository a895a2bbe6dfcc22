import { Type, type Static } from 'typebox'
import { Cursor } from '../../http/pattern.ts'
import { Id, NextCursor, Nullable, OneOf, Page } from '../../http/schemas.ts'
import { basisField, ByOwner, filterFields, frameFields, windowFields } from './schemas.ts'

export const UnmanagedQuery = Type.Object(
  {
    ...windowFields,
    ...basisField,
    ...filterFields,
    limit: Page.properties.limit,
    cursor: Type.Optional(Cursor('^-?[0-9]{1,24}(\\.[0-9]{1,30})?_[0-9a-f]{32}$')),
  },
  { additionalProperties: false },
)

const UnmanagedResourceBody = Type.Object({
  cloudId: Type.String({ description: 'As the bill writes it.' }),
  /** Among the resources of clouds. */
  resourceId: Nullable(Id),
  seenIn: Type.Array(OneOf(['inventory', 'bill'])),
  provider: Type.String(),
  service: Type.String(),
  region: Nullable(Type.String()),
  name: Nullable(Type.String()),
  tags: Type.Record(Type.String(), Type.String()),
  amount: Type.Number(),
  firstDay: Type.String({ format: 'date' }),
  lastDay: Type.String({ format: 'date' }),
  importBlock: Type.String(),
})
export type UnmanagedResourceBody = Static<typeof UnmanagedResourceBody>

const Amount = Type.Number()
export const UntaggedBody = Type.Object({
  tagKey: Nullable(Type.String()),
  byKey: Type.Array(Type.Object({ key: Type.String(), tagged: Amount, untagged: Amount }), {
    description: 'Of the 50 keys on most cost, the one with most untagged cost first.',
  }),
  byService: Type.Array(
    Type.Object({ provider: Type.String(), service: Type.String(), amount: Amount }),
    { description: 'Dearest first. Past 100 services a last entry, (other), has all others.' },
  ),
  byOwner: ByOwner,
})
export type UntaggedBody = Static<typeof UntaggedBody>

const { currency, basis, from, to, total, unconverted } = frameFields
export const UnmanagedBody = Type.Object({
  currency,
  basis,
  from,
  to,
  total,
  unconverted,
  untagged: Type.Optional(UntaggedBody),
  resources: Type.Array(UnmanagedResourceBody),
  nextCursor: NextCursor,
})
export type UnmanagedBody = Static<typeof UnmanagedBody>
