import { Type, type Static } from 'typebox'
import { LabelFilter } from '../http/labels.ts'
import { OneLine } from '../http/one-line.ts'
import { QueryText } from '../http/pattern.ts'
import { Body, Id, OneOf, Time } from '../http/schemas.ts'

const states = [
  'waiting',
  'working',
  'succeeded',
  'failed',
  'denied',
  'rejected',
  'expired',
  'out-of-date',
  'canceled',
  'none',
] as const

const Search = Type.Object(
  {
    q: Type.Optional(
      QueryText({ minLength: 1, maxLength: 200, description: 'A part of the name.' }),
    ),
    state: Type.Optional(
      OneOf(states, {
        description:
          'Of the newest run that can apply: it waits for an approval, it runs or is queued, or how it ended. `none` is a workspace without one.',
      }),
    ),
    criticality: Type.Optional(OneOf(['standard', 'production'])),
    label: LabelFilter,
    sort: Type.Optional(
      OneOf(['name', '-name', 'criticality', '-criticality', 'lastRunAt', '-lastRunAt']),
    ),
  },
  {
    additionalProperties: false,
    minProperties: 1,
    description: 'Filters and the order, as in the address of the list in the console.',
  },
)

const ViewBody = Type.Object({
  id: Id,
  name: Type.String(),
  search: Search,
  sharedBy: Type.String({ description: 'Address or name of who shared it.' }),
  createdAt: Time,
})
export type ViewBody = Static<typeof ViewBody>

export const ViewList = Type.Object({ views: Type.Array(ViewBody) })
export const ViewAnswer = Type.Object({ ok: Type.Literal(true), view: ViewBody })

export const NewViewBody = Body({ name: OneLine(40), search: Search })
export type NewViewBody = Static<typeof NewViewBody>
