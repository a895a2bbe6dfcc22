import { Type, type Static, type TSchema } from 'typebox'
import { runOrigins } from '../../domain/runs/run-origin.ts'
import { runOutcomes } from '../../domain/runs/run-outcome.ts'
import { runReasons } from '../../domain/runs/run-state.ts'
import { LabelFilter } from '../http/labels.ts'
import { Moment, QueryText } from '../http/pattern.ts'
import { Body, Id, Nullable, OneOf, Page, Text } from '../http/schemas.ts'
import { runFields, runStates } from './schemas.ts'

export const ListedRunBody = Type.Object({
  ...runFields,
  pipelineId: Nullable(Id),
  pipeline: Nullable(
    Type.Object(
      { id: Id, name: Type.String() },
      { description: 'Null for a run that only plans: it is in no pipeline.' },
    ),
  ),
  workspace: Nullable(
    Type.Object(
      { id: Id, name: Type.String(), criticality: OneOf(['standard', 'production']) },
      {
        description:
          'Of a run of an application: the target that its pipeline had at its start; null without one.',
      },
    ),
  ),
})
export type ListedRunBody = Static<typeof ListedRunBody>

/** Repeated, a filter means `or`. */
const Repeated = <T extends TSchema>(items: T, options: { description?: string } = {}) =>
  Type.Optional(Type.Array(items, { minItems: 1, maxItems: 50, ...options }))

export const outcomeWords =
  'How it ended. `denied` by a policy or a cost limit, `rejected` by a person, `expired` without a decision and `out_of_date` are ends of runs that were stopped before their apply; their states are `failed` or `canceled`. `failed` and `canceled` are here all others.'

export const RunQuery = Type.Object(
  {
    ...Page.properties,
    state: Repeated(OneOf(runStates)),
    reason: Repeated(OneOf(runReasons)),
    outcome: Repeated(OneOf(runOutcomes), { description: outcomeWords }),
    awaitingApproval: Type.Optional(
      Type.Boolean({
        description: 'Whether it waits for an approval, of its plan or before its plan.',
      }),
    ),
    mine: Type.Optional(
      Type.Boolean({
        description: 'True: only runs that wait for an approval which you may give.',
      }),
    ),
    kind: Repeated(OneOf(['apply', 'plan', 'infrastructure', 'application']), {
      description:
        '`apply`: a run of a workspace that may apply. `plan`: one that only plans. `infrastructure`: either of the two. `application`: a run of an application pipeline.',
    }),
    workspaceId: Repeated(Id, {
      description: 'Runs of this workspace, and runs of applications whose target it is.',
    }),
    pipelineId: Repeated(Id),
    author: Repeated(Id),
    label: LabelFilter,
    origin: Repeated(OneOf(runOrigins)),
    from: Type.Optional(Moment),
    to: Type.Optional(Moment),
    endedFrom: Type.Optional(Moment),
    sort: Type.Optional(
      OneOf(['-createdAt', 'createdAt'], {
        description: 'By the start: the newest first, which is the default, or the oldest first.',
      }),
    ),
    q: Type.Optional(
      QueryText({
        minLength: 1,
        maxLength: 200,
        description:
          'A part of the workspace’s name, of the application pipeline’s name, or of the message that the run was started with.',
      }),
    ),
  },
  { additionalProperties: false },
)

/** `runIds` are ids of the list of all runs. */
export const SeveralRuns = Body({
  runIds: Type.Array(Id, { minItems: 1, maxItems: 100, uniqueItems: true }),
  comment: Type.Optional(Text()),
})

export const RunResults = Type.Object({
  ok: Type.Literal(true),
  results: Type.Array(
    Type.Object({
      runId: Id,
      ok: Type.Boolean(),
      code: Nullable(
        Type.String({ description: 'Why it was refused, such as run_not_waiting or not_found.' }),
      ),
    }),
    { description: 'In the order of `runIds`.' },
  ),
})
