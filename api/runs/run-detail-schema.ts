import { Type } from 'typebox'
import { AnomalyScopeBody } from '../finops/anomalies/schemas.ts'
import { Id, Nullable, OneOf, Time } from '../http/schemas.ts'
import { NullablePlanPage } from '../infrastructure/plan-page-schema.ts'
import { EstimateBody } from './estimate-schema.ts'
import { runFields } from './schemas.ts'

export const DiagnosticBody = Type.Object({
  severity: OneOf(['error', 'warning']),
  stage: Type.String(),
  seq: Type.Integer({ description: 'Its first line in the log of the stage.' }),
  summary: Type.String(),
  detail: Type.String(),
  address: Nullable(Type.String({ description: 'The resource that it is about.' })),
  file: Nullable(Type.String({ description: 'The file of the configuration.' })),
  line: Nullable(Type.Integer()),
  column: Nullable(Type.Integer()),
  snippet: Type.Array(Type.Object({ line: Type.Integer(), text: Type.String() }), {
    description:
      'The line and up to two before and after it, each up to 500 characters, as the run’s configuration has them. Sensitive values are masked. Empty for a file of a module, and of a configuration of more than 2 MiB.',
  }),
  variable: Nullable(
    Type.String({ description: 'The variable that needs a value, if that is what is missing.' }),
  ),
})

export const RunDetail = Type.Object({
  ...runFields,
  commentCount: Type.Integer({ description: 'How many comments it has.' }),
  estimate: Nullable(EstimateBody),
  plan: NullablePlanPage,
  diagnostics: Type.Array(DiagnosticBody, {
    description:
      'The errors and warnings of OpenTofu, of each stage that has ended: up to 100. From its log, so masked as it is.',
  }),
  outcomes: Type.Array(
    Type.Object({
      address: Type.String(),
      action: OneOf(['create', 'update', 'destroy', 'replace']),
      result: OneOf(['done', 'failed']),
      durationMs: Type.Integer({ description: 'In whole seconds, as OpenTofu measures it.' }),
    }),
    {
      description:
        'What the apply did to each resource, once the run is over: up to 1,000, from its log. The changes of the plan have theirs beside them.',
    },
  ),
  outcomesTruncated: Type.Boolean(),
  outputs: Type.Array(
    Type.Object({
      name: Type.String(),
      type: Type.Unknown(),
      value: Type.Optional(Type.Unknown()),
      sensitive: Type.Boolean(),
      omitted: Type.Optional(OneOf(['too_large', 'too_deep'])),
    }),
    {
      description:
        'The outputs of the state that the run wrote, once it is over: up to 200. A sensitive one has no value, whoever asks. In the others, what is sensitive is masked, as in the outputs of the workspace.',
    },
  ),
  outputsTruncated: Type.Boolean(),
  stateVersion: Nullable(
    Type.Object(
      { serial: Type.Integer(), createdAt: Time },
      { description: 'The newest version of the state that the run wrote.' },
    ),
  ),
  anomalies: Type.Array(
    Type.Object({
      id: Id,
      provider: Nullable(Type.String()),
      service: Nullable(Type.String()),
      scope: Nullable(AnomalyScopeBody),
      firstDay: Type.String({ format: 'date' }),
      lastDay: Type.String({ format: 'date' }),
      impact: Type.Number(),
      currency: Type.String(),
      state: Type.String(),
      because: OneOf(['resource', 'account']),
    }),
    {
      description:
        'Anomalies of cost that name this run as what may have caused them, dearest first.',
    },
  ),
  tries: Type.Array(
    Type.Object({
      stage: Type.String(),
      count: Type.Integer(),
      lastAt: Nullable(Time),
    }),
    {
      description:
        'How often each stage was begun. More than once where a worker was lost; an apply is begun once.',
    },
  ),
  timeline: Type.Array(
    Type.Object({
      at: Time,
      event: Type.String(),
      actor: Type.String(),
      detail: Type.Unknown(),
    }),
  ),
})
