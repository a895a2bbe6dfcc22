import { Type, type Static } from 'typebox'
import { Cursor } from '../../http/pattern.ts'
import { Id, Nullable, OneOf, Page, Time } from '../../http/schemas.ts'

const Day = Type.String({ format: 'date' })
const Count = Type.Integer({ minimum: 0 })

const IngestStates = ['running', 'succeeded', 'partial', 'failed'] as const

const SliceBody = Type.Object({
  id: Id,
  period: Nullable(
    Type.String({ description: 'YYYY-MM; null where an upload could not be read.' }),
  ),
  state: OneOf(
    ['reading', 'loaded', 'unchanged', 'waiting', 'refused', 'suspect', 'discarded', 'superseded'],
    {
      description:
        'waiting: the export is not whole yet. refused: a value cannot be read, and the old numbers stay. suspect: it has much less than what it would replace, and waits for accept or discard. superseded: a later export replaced it.',
    },
  ),
  reason: Nullable(Type.String()),
  manifest: Nullable(Type.String()),
  files: Count,
  rowsRead: Count,
  recordsUpserted: Count,
  recordsRemoved: Count,
  recordsRejected: Count,
  billed: Type.Number(),
  effective: Type.Number(),
  list: Type.Number(),
  currency: Nullable(Type.String()),
  completeThrough: Nullable(Day),
  errors: Type.Array(
    Type.Object({
      file: Type.String(),
      row: Nullable(Count),
      column: Nullable(Type.String()),
      message: Type.String(),
    }),
  ),
})

const IngestAccountBody = Type.Object({
  accountId: Nullable(Id),
  source: Nullable(Type.String({ description: 'The name of uploads; null for a cloud account.' })),
  name: Type.String(),
  state: OneOf(['waiting', 'loaded', 'unchanged', 'partial', 'failed', 'skipped']),
  reason: Nullable(Type.String()),
  slices: Type.Array(SliceBody),
})

/** Without what became of each account: in lists, and beside an account. */
export const IngestSummaryBody = Type.Object({
  id: Id,
  trigger: OneOf(['schedule', 'request', 'connect', 'upload']),
  state: OneOf(IngestStates),
  startedAt: Time,
  endedAt: Nullable(Time),
  rowsRead: Count,
  recordsUpserted: Type.Integer({
    minimum: 0,
    description: 'Rows at day grain that are new or differ; 0 where nothing changed.',
  }),
  recordsRejected: Count,
  anomalies: Type.Integer({ minimum: 0, description: 'Anomalies that were opened or changed.' }),
})
export type IngestSummaryBody = Static<typeof IngestSummaryBody>

export const IngestBody = Type.Object({
  ...IngestSummaryBody.properties,
  accounts: Type.Array(IngestAccountBody, {
    description:
      'At most 200, with at most 500 slices and 384 KiB of errors. An account whose slices go on is the first one of the next page too. The answer to an upload also has the slices of the upload, with their account, wherever in the list they are: a later page has them again.',
  }),
  nextCursor: Type.Optional(
    Nullable(Type.String({ description: 'Of getIngest: null where no account or slice is left.' })),
  ),
})
export type IngestBody = Static<typeof IngestBody>

export const IngestPage = Type.Object(
  { cursor: Type.Optional(Cursor('^[0-9]{1,10}[.][0-9]{1,10}$')) },
  { additionalProperties: false },
)

export const IngestAnswer = Type.Object({ ok: Type.Literal(true), ingest: IngestBody })

export const IngestQuery = Type.Object(
  {
    ...Page.properties,
    state: Type.Optional(Type.Array(OneOf(IngestStates), { minItems: 1, maxItems: 4 })),
    accountId: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: 50 })),
  },
  { additionalProperties: false },
)
export type IngestQuery = Static<typeof IngestQuery>
