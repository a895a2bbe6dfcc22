import { Type } from 'typebox'
import { Nullable, OneOf } from '../http/schemas.ts'

export const ReleasedCommitBody = Type.Object({
  sha: Type.String(),
  author: Type.String(),
  message: Type.String(),
})

export const DeploymentBody = Type.Object(
  {
    strategy: Type.String(),
    batch: Type.Integer(),
    batches: Type.Integer(),
    hosts: Type.Object({
      total: Type.Integer(),
      pending: Type.Integer(),
      updating: Type.Integer(),
      healthy: Type.Integer(),
      failed: Type.Integer(),
      rolledBack: Type.Integer(),
      unreachable: Type.Integer(),
    }),
    confirm: Nullable(
      Type.Integer({ description: 'The step after which it waits for a person; null: none.' }),
    ),
    rolledBackTo: Nullable(Type.Integer({ description: 'The run whose release came back.' })),
    runId: Nullable(
      Type.Integer({
        description: 'With `via: workspace`: the run of the target workspace that deploys.',
      }),
    ),
  },
  {
    description:
      'Before the deployment begins: how it would go, and the hosts that it is for as they are now.',
  },
)

const Change = {
  change: OneOf(['added', 'removed', 'changed', 'same', 'unknown']),
  diff: Nullable(
    Type.String({
      description:
        'As `diff -u` has it. Null where nothing changed, and of what is no text, is too long or is too different.',
    }),
  ),
}

export const ChangesBody = Type.Object({
  from: Nullable(
    Type.Object(
      {
        runId: Type.Integer(),
        number: Type.Integer(),
        commitSha: Nullable(Type.String()),
      },
      {
        description:
          'The run whose release is replaced: of the last good deployment to the target. Null without one.',
      },
    ),
  ),
  manifest: Type.Object({ path: Type.String(), ...Change }),
  hooks: Type.Array(
    Type.Object({
      name: OneOf(['install', 'activate', 'health', 'rollback']),
      path: Type.String({ description: 'In the artifact.' }),
      pathBefore: Nullable(Type.String()),
      sha256: Nullable(
        Type.String({
          description:
            'Of the new file. Null without one, and of one that is too large to be hashed.',
        }),
      ),
      ...Change,
      whole: Type.Optional(
        Type.Literal(true, {
          description:
            'The lines cannot be compared, so `diff` has the whole new text, as of a new file.',
        }),
      ),
    }),
    {
      description:
        'The files of the artifacts, in which sensitive build variables are masked. Unknown: too large to be compared, or of an artifact from before hooks were noted.',
    },
  ),
})

export const TriggerBody = Type.Object(
  {
    kind: OneOf(['manual', 'push', 'tag', 'schedule', 'promotion', 'rollback']),
    id: Nullable(
      Type.Integer({
        description:
          'Of a push or tag, the delivery of the Git host that told of it. Of a promotion, the run whose artifact is deployed, and of a rollback the run whose release comes back.',
      }),
    ),
  },
  { description: 'Of a run of an application: what started it.' },
)

export const ArtifactBody = Type.Object(
  {
    digest: Type.String({ description: 'SHA-256 of the bytes that are kept.' }),
    contentDigest: Type.String({ description: 'SHA-256 of the tar within.' }),
    sizeBytes: Type.Integer(),
    files: Type.Integer({ description: 'Files, folders and links.' }),
    keptUntil: Nullable(
      Type.String({
        format: 'date-time',
        description:
          'Null while it is one of the newest 20 of its pipeline or in use. In the past: it was removed.',
      }),
    ),
    sbom: Type.Array(OneOf(['spdx', 'cyclonedx'])),
    signed: Type.Boolean({ description: 'Whether there is a provenance of it.' }),
  },
  { description: 'What a run of an application has built; null before that.' },
)
