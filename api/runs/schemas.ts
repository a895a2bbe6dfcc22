import { Type, type Static } from 'typebox'
import { approvalReasons, approvalRules } from '../../domain/runs/approval-reason.ts'
import { runReasons, stageStates } from '../../domain/runs/run-state.ts'
import { OneLine } from '../http/one-line.ts'
import { Pattern } from '../http/pattern.ts'
import { Id, NextCursor, Nullable, OneOf, Time } from '../http/schemas.ts'
import { OriginBody } from './present-origin.ts'
import { ArtifactBody, DeploymentBody, ReleasedCommitBody, TriggerBody } from './release-schemas.ts'

export const RunParams = Type.Object({ id: Id, runId: Id })
export const runStates = ['running', 'succeeded', 'failed', 'canceled'] as const

const Gate = Type.Object({
  kind: OneOf(['policy', 'cost']),
  result: OneOf(['pass', 'warn', 'fail', 'error']),
  /** In a list of several runs the first 2 KiB of each gate. */
  findings: Type.Array(Type.Unknown()),
})

const BlockedBy = Type.Object({
  kind: OneOf(['turn', 'user_lock', 'approval', 'capacity', 'agent', 'engine']),
  id: Nullable(Type.Integer()),
  holder: Nullable(Type.String()),
  reason: Nullable(
    Type.String({
      description:
        "The lock holder's own words; of a run that waits before its plan, why: new files, other values of variables, or modules that can change.",
    }),
  ),
  since: Nullable(Time),
  whoCanAct: Type.Array(Type.String()),
})

const StageBody = Type.Object({
  name: Type.String(),
  state: OneOf(stageStates),
  startedAt: Nullable(Time),
  endedAt: Nullable(Time),
  by: Type.Optional(Type.String()),
  gates: Type.Optional(Type.Array(Gate)),
})

const ApprovalBody = Type.Object({
  user: Type.String(),
  decision: OneOf(['approved', 'rejected']),
  stage: OneOf(['plan', 'approve']),
  step: Type.Optional(
    Type.Integer({
      description:
        'Of a run of an application: 0 for the release, else the step of the deployment that it lets go on.',
    }),
  ),
  at: Time,
  comment: Nullable(Type.String()),
  planDigest: Type.String(),
  void: Type.Optional(Type.Object({ at: Time, reason: Type.String() })),
})

const CommitBody = Type.Object({
  sha: Type.String(),
  branch: Nullable(Type.String()),
  tag: Nullable(Type.String()),
  message: Nullable(Type.String()),
  author: Nullable(Type.String()),
  at: Nullable(Time),
})

export const runFields = {
  id: Id,
  number: Nullable(Type.Integer()),
  kind: OneOf(['apply', 'plan', 'application']),
  destroy: Type.Boolean(),
  state: OneOf(runStates),
  reason: Nullable(OneOf(runReasons)),
  message: Nullable(
    Type.String({
      description:
        'The `message` of its start; of a push the first line of its commit, once that is known.',
    }),
  ),
  endMessage: Nullable(Type.String({ description: 'How the run ended, in words.' })),
  awaitingApproval: Type.Boolean(),
  approvalReasons: Type.Array(OneOf(approvalReasons), {
    description:
      'Why the plan must be approved: the workspace is a production one, the plan would break a budget that holds runs (the findings of the cost gate name the budgets), or the workspace or who started the run asks for a confirmation.',
  }),
  approval: Nullable(
    Type.Object(
      { rule: OneOf(approvalRules) },
      {
        description:
          'Who may approve: a second person, or, where only a confirmation is needed, anybody who may start runs, its author too. Null for a run that needs no approval, or has no plan yet.',
      },
    ),
  ),
  awaitingPlanApproval: Type.Boolean({
    description:
      'Only its author has seen what would be planned: a second person looks at it first. The reason in blockedBy says whether it is the files, the values of variables, or modules that can change.',
  }),
  blockedBy: Nullable(BlockedBy),
  mayApprove: Type.Boolean(),
  mayReject: Type.Boolean(),
  mayCancel: Type.Boolean(),
  because: Type.Object(
    {
      mayApprove: Type.Optional(Type.String()),
      mayReject: Type.Optional(Type.String()),
      mayCancel: Type.Optional(Type.String()),
    },
    {
      description:
        'Of what the caller may not do now: the code that it would be refused with, such as approver_is_author, approver_made_by_author, run_not_waiting or forbidden.',
    },
  ),
  planDigest: Nullable(Type.String()),
  stages: Type.Array(StageBody),
  approvals: Type.Array(ApprovalBody),
  summary: Nullable(
    Type.Object({
      import: Type.Optional(
        Type.Integer({
          description: 'Objects that are imported; each can also be in another count.',
        }),
      ),
      add: Type.Integer(),
      change: Type.Integer(),
      destroy: Type.Integer(),
    }),
  ),
  cost: Type.Unknown(),
  found: Type.Optional(Type.Unknown()),
  origin: OriginBody,
  /** `id` is null if no member started the run. */
  author: Type.Object({ id: Nullable(Id), label: Type.String() }),
  workspaceId: Nullable(
    Type.Integer({
      minimum: 1,
      description: 'Of an application: the target of its pipeline; null without one.',
    }),
  ),
  configurationVersion: Nullable(
    Type.Integer({ description: 'Null for a run of an application, which has no configuration.' }),
  ),
  /** What an approval before the plan is bound to. */
  configurationSha256: Nullable(Type.String()),
  /** Set for a configuration that was read from Git. */
  commitSha: Nullable(Type.String()),
  /** The number of the pull request that is planned. */
  pullRequest: Nullable(Type.Integer()),
  /**
   * What a run of an application is built from; null until that is known. Of another run: the commit
   * of a configuration that was read from Git, without its branch and time.
   */
  commit: Type.Optional(Nullable(CommitBody)),
  trigger: Type.Optional(TriggerBody),
  artifact: Type.Optional(Nullable(ArtifactBody)),
  deployment: Type.Optional(Nullable(DeploymentBody)),
  rollbackOf: Type.Optional(Nullable(Id)),
  commits: Type.Optional(
    Type.Array(ReleasedCommitBody, {
      description: 'Of a run of an application: since the last good deployment, newest first.',
    }),
  ),
  commitsTruncated: Type.Optional(Type.Boolean()),
  warnings: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'Of a run of an application: no_sbom, where its artifact has no bill of materials, and those of its deployment.',
    }),
  ),
  details: Type.Optional(
    Nullable(
      Type.Object(
        { starter: Type.Object({ path: Type.String(), yaml: Type.String() }) },
        {
          description:
            'Of a run of an application that found no manifest: one to begin with, and where it belongs.',
        },
      ),
    ),
  ),
  workflowId: Type.String(),
  approvalExpiresAt: Nullable(Time),
  createdAt: Time,
  startedAt: Nullable(Time),
  endedAt: Nullable(Time),
}

export const RunBody = Type.Object(runFields)
export type RunBody = Static<typeof RunBody>

const LogLineBody = Type.Object({
  seq: Type.Integer(),
  level: OneOf(['debug', 'info', 'warn', 'error']),
  line: Type.String(),
  /** Of a deployment: the host that printed it. */
  host: Type.Optional(Type.String()),
})

export const RunWithLogs = Type.Object({
  ...runFields,
  logs: Type.Record(Type.String(), Type.Array(LogLineBody)),
  logsTruncated: Type.Boolean(),
})

/** The newest run in a list. It says whether the run waits for a person, which `running` alone would hide. */
export const LastRunBody = Type.Object({
  number: Type.Integer(),
  state: OneOf(runStates),
  awaitingApproval: Type.Optional(Type.Literal(true)),
})

/** Overrides of the plan's variables, by name. */
const Vars = Type.Record(
  Pattern(
    '^[A-Za-z_][A-Za-z0-9_-]{0,254}$',
    'the name of a variable: letters, digits, "_" and "-", of which the first is a letter or "_"',
  ),
  Type.Union([Type.String({ maxLength: 65_536 }), Type.Number(), Type.Boolean()]),
  { maxProperties: 200, additionalProperties: false },
)

/** What a start may carry, of a run that may apply and of one that only plans. */
export const startFields = {
  vars: Type.Optional(Vars),
  message: Type.Optional(
    // Mails, notifications and lists show it.
    OneLine(500, 0),
  ),
}
export const applyFields = {
  ...startFields,
  confirm: Type.Optional(
    Type.Boolean({
      description:
        'The plan waits until a person confirms it, as by the setting `confirm` of the workspace. A plan that needs a second person waits for that one.',
    }),
  ),
}

/** What a start through a pipeline may carry: each kind of pipeline refuses what is of the other one. */
export const pipelineStartFields = {
  ...applyFields,
  branch: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        'Of an application: the branch to build, without which it is the branch of the pipeline, else the default branch of the Git connection.',
    }),
  ),
  tag: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Of an application: the tag to build, instead of a branch.',
    }),
  ),
  strategy: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description:
        'Of an application: the strategy of this run’s deployment, instead of the pipeline’s.',
    }),
  ),
  commit: Type.Optional(
    Type.String({
      pattern: '^([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$',
      description:
        'Of an application: the commit to build, by its whole name, instead of a branch.',
    }),
  ),
  artifactOf: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 2_147_483_647,
      description:
        'Of an application: a run with the same repository, of any pipeline, whose artifact is deployed instead of a build.',
    }),
  ),
}

/** `warnings` is beside the run because it belongs to the start: no later answer has it. */
export const RunAnswer = Type.Object({
  run: RunBody,
  warnings: Type.Optional(Type.Array(Type.String())),
})
export type RunAnswer = Static<typeof RunAnswer>
export const RunList = Type.Object({ runs: Type.Array(RunBody), nextCursor: NextCursor })
export const LogPage = Type.Object({
  lines: Type.Array(LogLineBody),
  nextSeq: Type.Integer(),
})
