import { Type, type Static } from 'typebox'
import { Description, LabelFilter, Labels } from '../http/labels.ts'
import { OneLine } from '../http/one-line.ts'
import { Cursor } from '../http/pattern.ts'
import { Body, Id, NamedPage, Nullable, OneOf, Text, Time } from '../http/schemas.ts'
import { LastRunBody } from '../runs/schemas.ts'

const Globs = (of: string) =>
  Type.Array(Text(500, 1), { maxItems: 50, description: `Patterns of ${of}, as "src/**" or "v*".` })

const TriggersBody = Type.Object({
  push: Type.Boolean(),
  paths: Type.Array(Type.String()),
  tags: Type.Array(Type.String()),
})

/** Whether the host tells of pushes to the pipeline's repository, and why not. */
const WebhookBody = Type.Object({
  state: OneOf(['none', 'pending', 'active', 'unavailable']),
  reason: Nullable(Type.String()),
})

export const PipelineBody = Type.Object({
  id: Id,
  name: Type.String(),
  labels: Type.Record(Type.String(), Type.String()),
  description: Type.String(),
  kind: OneOf(['application', 'infrastructure']),
  managed: Type.Boolean(),
  appGitConnectionId: Nullable(Id),
  appRepo: Nullable(Type.String()),
  targetWorkspaceId: Nullable(Id),
  targetWorkspaceName: Nullable(Type.String()),
  strategy: Nullable(Type.String()),
  /** Of kind `application`; null of the other kind, as are the fields after it. */
  appPath: Nullable(Type.String()),
  /** Null: the default branch of the Git connection. */
  appBranch: Nullable(Type.String()),
  triggers: Nullable(TriggersBody),
  webhook: Nullable(WebhookBody),
  rollbackApproval: Nullable(OneOf(['always', 'once'])),
  sbom: Nullable(OneOf(['optional', 'required'])),
  agentWaitMinutes: Nullable(Type.Integer()),
  criticality: OneOf(['standard', 'production']),
  lastRun: Nullable(LastRunBody),
  createdAt: Time,
})

const orders = ['id', 'name', 'criticality', 'lastRunAt'] as const
export type PipelineListOrder = (typeof orders)[number]

export const PipelineQuery = Type.Object({
  ...NamedPage.properties,
  cursor: Type.Optional(Cursor('^[A-Za-z0-9_-]{1,2000}$', { maxLength: 2_000 })),
  label: LabelFilter,
  sort: Type.Optional(
    OneOf([...orders, '-id', '-name', '-criticality', '-lastRunAt'], {
      description:
        'By the creation, which is the default, by the name, by the criticality (production first) and the name, or by the start of the newest run. `-` means descending.',
    }),
  ),
  managed: Type.Optional(
    Type.Boolean({
      description: 'True: only those that workspaces brought. False: only the others.',
    }),
  ),
})

const applicationSettings = {
  appBranch: Type.Optional(
    Nullable(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'The branch to build; null is the default branch of the Git connection.',
      }),
    ),
  ),
  appPath: Type.Optional(
    Type.String({
      maxLength: 255,
      description: 'The folder that has `.cloud-control/`, in which the steps of a build begin.',
    }),
  ),
  triggers: Type.Optional(
    Body({
      push: Type.Optional(Type.Boolean({ description: 'Each push to the branch starts a run.' })),
      paths: Type.Optional(Globs('paths, one of which a push must change to start a run')),
      tags: Type.Optional(Globs('tags, whose push starts a run')),
    }),
  ),
  rollbackApproval: Type.Optional(
    OneOf(['always', 'once'], {
      description:
        'Whether a rollback of production waits for a second person each time, or not if that release was approved and healthy there within 90 days. `once` needs `manage_cloud_accounts`.',
    }),
  ),
  sbom: Type.Optional(OneOf(['optional', 'required'])),
  agentWaitMinutes: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_440 })),
}

export const NewPipelineBody = Body({
  name: OneLine(200),
  kind: Type.Optional(OneOf(['application', 'infrastructure'])),
  appGitConnectionId: Type.Optional(Id),
  appRepo: Type.Optional(Text(300, 1)),
  targetWorkspaceId: Type.Optional(Id),
  strategy: Type.Optional(Text(100, 1)),
  ...applicationSettings,
  labels: Type.Optional(Labels),
  description: Type.Optional(Description),
})
export type NewPipelineBody = Static<typeof NewPipelineBody>

export const PipelineChangeBody = Body({
  name: Type.Optional(OneLine(200)),
  appGitConnectionId: Type.Optional(Id),
  appRepo: Type.Optional(Text(300, 1)),
  targetWorkspaceId: Type.Optional(Nullable(Id)),
  strategy: Type.Optional(Nullable(Text(100, 1))),
  ...applicationSettings,
  labels: Type.Optional(Labels),
  description: Type.Optional(Description),
})
export type PipelineChangeBody = Static<typeof PipelineChangeBody>

const Phase = OneOf(['build', 'deploy'], {
  description:
    'Whether the steps of a build are given the variable, or the hooks of a deployment. A sensitive one of `build` goes only to the steps that name it in `secrets`.',
})

export const PipelineVariableBody = Type.Object({
  id: Id,
  key: Type.String(),
  phase: Phase,
  /** Null if it is sensitive: such a value is write-only. */
  value: Nullable(Type.String()),
  sensitive: Type.Boolean(),
  createdAt: Time,
  updatedAt: Time,
})
export type PipelineVariableBody = Static<typeof PipelineVariableBody>

const Value = Type.String({ maxLength: 65_536 })
export const NewPipelineVariableBody = Body({
  key: Text(255, 1),
  value: Value,
  phase: Phase,
  sensitive: Type.Optional(Type.Boolean()),
})
export type NewPipelineVariableBody = Static<typeof NewPipelineVariableBody>

export const PipelineVariableChangeBody = Body({
  value: Type.Optional(Value),
  phase: Type.Optional(Phase),
  sensitive: Type.Optional(Type.Boolean()),
})
export type PipelineVariableChangeBody = Static<typeof PipelineVariableChangeBody>
