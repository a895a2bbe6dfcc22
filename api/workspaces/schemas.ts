import type { VariablePhase } from '../../domain/workspaces/variables.ts'
import { Type, type Static } from 'typebox'
import { Description, Labels } from '../http/labels.ts'
import { Body, Id, Nullable, OneOf, Text, Time } from '../http/schemas.ts'
import { Name } from '../http/pattern.ts'
import { confirmModes } from '../../domain/runs/confirmation.ts'
import { LastRunBody, runFields } from '../runs/schemas.ts'

const criticalities = ['standard', 'production'] as const
const unpriced = ['deny', 'allow'] as const
const Confirm = OneOf(confirmModes, {
  description:
    'Which plans of a standard workspace wait until a person with the right to start runs confirms them: none, those that destroy something, or all. A production workspace waits for a second person in any case.',
})

const LockBody = Type.Object({
  holder: Type.Object({
    kind: OneOf(['user', 'run', 'cli']),
    label: Type.String(),
    since: Time,
    /** Null: unknown, because a person's own tofu holds the lock. */
    alive: Nullable(Type.Boolean()),
  }),
  lockId: Nullable(Type.String()),
  reason: Nullable(Type.String()),
})

/** Another workspace's current state holds resources of this one too. Each is the later one's (docs/ownership.md). */
const HeldTwiceWarning = Type.Object({
  code: OneOf(['resources_held_twice']),
  /** Counted up to 100; the first three are shown. */
  total: Type.Integer(),
  resources: Type.Array(
    Type.Object({
      cloudId: Type.String(),
      address: Type.String(),
      /** The other one. */
      workspace: Type.Object({ id: Id, name: Type.String() }),
      /** Whether the resource counts as this workspace's. */
      isOwner: Type.Boolean(),
    }),
  ),
})

/** What the newest applied plan that was held against the bill said it would cost, where it missed by 20 % or more. */
const EstimateOffWarning = Type.Object({
  code: OneOf(['estimate_off']),
  runId: Id,
  afterDays: Type.Integer(),
  at: Type.String({ format: 'date' }),
  currency: Type.String(),
  predicted: Type.Number(),
  billed: Type.Number(),
})

const { id, reason, approval, destroy, summary, origin, author, createdAt, endedAt } = runFields
const { commitSha, pullRequest } = runFields

/** The newest run of the workspace that can apply. */
const WorkspaceLastRunBody = Type.Object({
  id,
  ...LastRunBody.properties,
  awaitingPlanApproval: Type.Optional(Type.Literal(true)),
  queued: Type.Boolean({ description: 'It waits for its turn.' }),
  reason,
  approval,
  destroy,
  summary,
  origin,
  author,
  commitSha,
  pullRequest,
  createdAt,
  endedAt,
})
export type WorkspaceLastRunBody = Static<typeof WorkspaceLastRunBody>

export const WorkspaceBody = Type.Object({
  id: Id,
  name: Type.String(),
  labels: Type.Record(Type.String(), Type.String()),
  description: Type.String(),
  criticality: OneOf(criticalities),
  engine: OneOf(['opentofu']),
  source: Type.Object({
    kind: OneOf(['inline', 'git']),
    repo: Type.Optional(Type.String()),
    branch: Type.Optional(Type.String()),
    include: Type.Optional(Type.Array(Type.String())),
  }),
  cloudAccountId: Nullable(Id),
  gitConnectionId: Nullable(Id),
  path: Type.String(),
  autoApply: Type.Boolean(),
  costLimitMonthly: Nullable(Type.Number()),
  currency: Type.String(),
  unpriced: OneOf(unpriced),
  confirm: Confirm,
  pipelineId: Id,
  configurationVersion: Nullable(Type.Integer()),
  stateSerial: Nullable(Type.Integer()),
  lastRun: Nullable(WorkspaceLastRunBody),
  locked: Nullable(LockBody),
  needsRefresh: Type.Boolean(),
  warnings: Type.Array(Type.Union([HeldTwiceWarning, EstimateOffWarning])),
  createdAt: Time,
  updatedAt: Time,
})
export type WorkspaceBody = Static<typeof WorkspaceBody>

/**
 * `git` names what is read through the connection, whose id is outside of this object because it
 * guards the runs. Without a repository and branch, those of the connection. `path` is the folder
 * that is read and in which OpenTofu works; `include` are further folders, such as shared modules.
 */
const Source = Type.Union([
  Body({ kind: Type.Literal('inline') }),
  Body({
    kind: Type.Literal('git'),
    repo: Type.Optional(Text(300, 1)),
    repoUrl: Type.Optional(Text(1_000, 1)),
    branch: Type.Optional(Text(255, 1)),
    include: Type.Optional(Type.Array(Text(255, 1), { maxItems: 10 })),
  }),
])

const settings = {
  labels: Type.Optional(Labels),
  description: Type.Optional(Description),
  criticality: Type.Optional(OneOf(criticalities)),
  engine: Type.Optional(OneOf(['opentofu'])),
  source: Type.Optional(Source),
  cloudAccountId: Type.Optional(Nullable(Id)),
  gitConnectionId: Type.Optional(Nullable(Id)),
  path: Type.Optional(Text(255)),
  autoApply: Type.Optional(Type.Boolean()),
  costLimitMonthly: Type.Optional(Nullable(Type.Number({ minimum: 0, maximum: 1e15 }))),
  unpriced: Type.Optional(OneOf(unpriced)),
  confirm: Type.Optional(Confirm),
}

export const NewWorkspaceBody = Body({ name: Name, ...settings })
export type NewWorkspaceBody = Static<typeof NewWorkspaceBody>

export const WorkspaceChangeBody = Body({ name: Type.Optional(Name), ...settings })
export type WorkspaceChangeBody = Static<typeof WorkspaceChangeBody>

export const WorkspaceAnswer = Type.Object({ ok: Type.Literal(true), workspace: WorkspaceBody })

const Phase = Type.Unsafe<VariablePhase>({
  type: 'string',
  enum: ['plan', 'apply', 'both'],
  description:
    'Which steps of a run are given the variable; a value of another phase is not there. Only environment variables can have another than `both`. A plan-only run, which nobody approves, runs its author’s code with the values of the phases `plan` and `both`: give a secret that only an approved apply may have the phase `apply`.',
})

export const VariableBody = Type.Object({
  id: Id,
  key: Type.String(),
  kind: OneOf(['terraform', 'env']),
  /** Null if it is sensitive: such a value is write-only. */
  value: Nullable(Type.String()),
  sensitive: Type.Boolean(),
  phase: Phase,
  description: Type.String(),
  createdAt: Time,
  updatedAt: Time,
})
export type VariableBody = Static<typeof VariableBody>

const Value = Type.String({ maxLength: 65_536 })

export const NewVariableBody = Body({
  key: Text(255, 1),
  value: Value,
  kind: Type.Optional(OneOf(['terraform', 'env'])),
  sensitive: Type.Optional(Type.Boolean()),
  phase: Type.Optional(Phase),
  description: Type.Optional(Description),
})
export type NewVariableBody = Static<typeof NewVariableBody>

export const VariableChangeBody = Body({
  value: Type.Optional(Value),
  sensitive: Type.Optional(Type.Boolean()),
  phase: Type.Optional(Phase),
  description: Type.Optional(Description),
})
export type VariableChangeBody = Static<typeof VariableChangeBody>

export const maxConfigurationBytes = 10 * 1_048_576
/** The files of a configuration by their names. */
export const Files = Type.Record(Type.String(), Type.String({ maxLength: maxConfigurationBytes }))

export const ConfigurationVersionBody = Type.Object({
  id: Id,
  number: Type.Integer(),
  source: OneOf(['api', 'git']),
  commitSha: Nullable(Type.String()),
  sha256: Type.String(),
  /** In a list, the first 40. */
  fileNames: Type.Array(Type.String()),
  fileCount: Type.Integer(),
  sizeBytes: Type.Integer(),
  authors: Type.Array(Type.Object({ id: Id, label: Type.String() })),
  createdAt: Time,
})
export type ConfigurationVersionBody = Static<typeof ConfigurationVersionBody>
