import { Type, type Static, type TSchema } from 'typebox'
import { anomalyStates } from '../../../domain/finops/anomalies/anomaly-state.ts'
import { anomalyScopeKinds } from '../../../domain/finops/anomalies/anomaly-scope.ts'
import { QueryText } from '../../http/pattern.ts'
import { QueryDay } from '../query-day.ts'
import { Body, Id, Nullable, OneOf, Page, Text, Time } from '../../http/schemas.ts'

const Day = Type.String({ format: 'date' })
const Amount = Type.Number()

/** Repeated, a filter means `or`. */
const Repeated = <T extends TSchema>(items: T) =>
  Type.Optional(Type.Array(items, { minItems: 1, maxItems: 50 }))
const Word = QueryText({ minLength: 1, maxLength: 500 })

export const AnomalyQuery = Type.Object(
  {
    ...Page.properties,
    state: Repeated(OneOf(anomalyStates)),
    provider: Repeated(Word),
    service: Repeated(Word),
    accountId: Repeated(Id),
    workspaceId: Repeated(Id),
    from: Type.Optional(QueryDay),
    to: Type.Optional(QueryDay),
  },
  { additionalProperties: false },
)
export type AnomalyQuery = Static<typeof AnomalyQuery>

const Driver = Type.Object({
  dimension: OneOf(['region', 'subAccount', 'sku', 'resource', 'tag']),
  value: Type.String(),
  amount: Amount,
  /** Of the impact. */
  share: Type.Number(),
})

const CausingRun = Type.Object({
  runId: Id,
  pipelineId: Id,
  workspaceId: Id,
  workspaceName: Type.String(),
  number: Type.Integer(),
  appliedAt: Time,
  author: Type.Object({ id: Nullable(Id), label: Type.String() }),
  predictedDelta: Nullable(
    Type.Number({
      description:
        'What its plan said of the monthly cost, in the currency of the anomaly, by the rate of its month; null where it is not known or there is no rate.',
    }),
  ),
  because: Type.String({
    enum: ['resource', 'account'],
    description:
      'resource: what it created or changed rose. account: its workspace owns cost of the same account and service; never of a scope.',
  }),
  rise: Type.Number({
    description:
      'By how much what it created or changed costs more than before, in the days of the anomaly.',
  }),
})

const figures = {
  id: Id,
  subAccountId: Nullable(Type.String()),
  firstDay: Day,
  lastDay: Day,
  day: Type.String({
    format: 'date',
    description: 'Its dearest day: expected and actual are that day’s.',
  }),
  expected: Amount,
  actual: Amount,
  impact: Type.Number({ description: 'The excess over what was expected, of all its days.' }),
}

export const AnomalyScopeBody = Type.Object(
  {
    kind: OneOf(anomalyScopeKinds),
    value: Type.String({ description: 'Of the whole cost all, of a tag key=value.' }),
  },
  {
    description:
      'The whole cost of all bills in one currency, or what has one value of the settings’ tagKey; null for a service. Only what the anomalies of its services leave unexplained is shown: what they explain counts as expected.',
  },
)

export const AnomalyBody = Type.Object({
  ...figures,
  provider: Nullable(Type.String({ description: 'Null where it is of a scope.' })),
  service: Nullable(Type.String({ description: 'Null where it is of a scope.' })),
  low: Amount,
  high: Type.Number({ description: 'A cost above this is told.' }),
  currency: Type.String(),
  severity: OneOf(['low', 'medium', 'high']),
  kind: OneOf(['rise', 'drift', 'new_spend']),
  state: OneOf(anomalyStates),
  accountId: Nullable(Id),
  source: Nullable(
    Type.String({ description: 'The name of an upload, where no account brought the bill.' }),
  ),
  scope: Nullable(AnomalyScopeBody),
  drivers: Type.Array(Driver),
  children: Type.Array(Type.Object(figures), {
    description:
      'Other sub-accounts of the service in the same days. The figures above include theirs.',
  }),
  childCount: Type.Integer({ description: 'All of them; children has the 20 dearest.' }),
  runs: Type.Array(CausingRun, {
    description:
      'Runs applied from three days before its first day to its last that may have caused it, the likeliest first; at most 5. Empty where there is none.',
  }),
  comment: Nullable(Type.String()),
  decidedBy: Nullable(Id),
  decidedAt: Nullable(Time),
  createdAt: Time,
  updatedAt: Time,
})
export type AnomalyBody = Static<typeof AnomalyBody>

export const AnomalyDetailBody = Type.Object({
  ...AnomalyBody.properties,
  days: Type.Array(
    Type.Object({ day: Day, actual: Amount, expected: Amount, low: Amount, high: Amount }),
    { description: 'From 30 days before its first day to 7 after its last, as they were scored.' },
  ),
})

export const AnomalyVerdictBody = Body({
  state: OneOf(['open', 'acknowledged', 'expected', 'not_anomaly']),
  comment: Type.Optional(Nullable(Text(1_000))),
})
export type AnomalyVerdictBody = Static<typeof AnomalyVerdictBody>
