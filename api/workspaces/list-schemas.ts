import { Type, type Static, type TSchema } from 'typebox'
import { LabelFilter } from '../http/labels.ts'
import { Cursor, QueryText } from '../http/pattern.ts'
import { Id, OneOf, Page } from '../http/schemas.ts'
import { runOutcomes } from '../../domain/runs/run-outcome.ts'
import { outcomeWords } from '../runs/list-schemas.ts'
import { runStates } from '../runs/schemas.ts'

const orders = ['id', 'name', 'criticality', 'lastRunAt'] as const
export type ListOrder = (typeof orders)[number]

/** Repeated, a filter means `or`. */
const Repeated = <T extends TSchema>(items: T, options: { description?: string } = {}) =>
  Type.Optional(Type.Array(items, { minItems: 1, maxItems: 100, ...options }))

export const WorkspaceQuery = Type.Object(
  {
    limit: Page.properties.limit,
    cursor: Type.Optional(Cursor('^[a-z0-9.-]{1,90}$', { maxLength: 90 })),
    q: Type.Optional(
      QueryText({ minLength: 1, maxLength: 200, description: 'A part of the name.' }),
    ),
    id: Repeated(Id),
    criticality: Repeated(OneOf(['standard', 'production'])),
    label: LabelFilter,
    state: Repeated(OneOf([...runStates, 'none']), {
      description: 'Of the newest run that can apply. `none` is a workspace without one.',
    }),
    outcome: Repeated(OneOf(runOutcomes), { description: `Of that run. ${outcomeWords}` }),
    awaitingApproval: Type.Optional(
      Type.Boolean({ description: 'Whether that run waits for an approval.' }),
    ),
    sort: Type.Optional(
      OneOf([...orders, '-id', '-name', '-criticality', '-lastRunAt'], {
        description:
          'By the creation, which is the default, by the name, by the criticality (production first) and the name, or by the start of the newest run that can apply. `-` means descending.',
      }),
    ),
  },
  { additionalProperties: false },
)
export type WorkspaceQuery = Static<typeof WorkspaceQuery>
