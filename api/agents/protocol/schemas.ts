import { Type, type Static } from 'typebox'
import { maxLogLines, maxWaitSeconds } from '../../../domain/agents/agent-limits.ts'
import { hostActions } from '../../../domain/agents/state-after.ts'
import { logLevels } from '../../../domain/runs/log-line.ts'
import type { EndorsedKey } from '../../../domain/signing/endorsement.ts'
import { OneLine } from '../../http/one-line.ts'
import { Pattern } from '../../http/pattern.ts'
import { Id, Nullable, OneOf, Text, Time } from '../../http/schemas.ts'
import { AgentName } from '../schemas.ts'

// Agents and services of two versions meet here, so unknown fields are ignored, on these routes alone.

const Digest = Pattern('^sha256:[0-9a-f]{64}$', 'sha256: and 64 hexadecimal digits', {
  maxLength: 71,
})
const Fence = Type.Integer({ minimum: 0, maximum: 2_147_483_647 })
const Release = Nullable(Type.Object({ digest: Digest, runId: Type.Optional(Nullable(Id)) }))

/** What is shown as it is: no text that could hold more than its word. */
const Word = Pattern('^[a-z][a-z_-]{0,39}$', 'a word of lower-case letters, "_" and "-"', {
  maxLength: 40,
})

const Hook = Type.Object({
  name: OneOf(['install', 'activate', 'health', 'rollback']),
  state: Word,
  exitCode: Type.Optional(Nullable(Type.Integer({ minimum: -1_000_000, maximum: 1_000_000 }))),
  durationMs: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: 2_147_483_647 }))),
})
export type Hook = Static<typeof Hook>

export const EnrollBody = Type.Object({ name: AgentName })
export const HeartbeatBody = Type.Object({
  protocols: Type.Array(Type.Integer({ minimum: 0, maximum: 10_000 }), {
    minItems: 1,
    maxItems: 50,
  }),
  version: Type.Optional(Nullable(OneLine(50, 0))),
  os: Type.Optional(Nullable(OneLine(50, 0))),
  arch: Type.Optional(Nullable(OneLine(50, 0))),
  release: Type.Optional(Release),
  deploymentId: Type.Optional(Nullable(Id)),
  fence: Type.Optional(Nullable(Fence)),
  hook: Type.Optional(Nullable(Hook)),
})
export type HeartbeatBody = Static<typeof HeartbeatBody>

export const ClaimBody = Type.Object({
  waitSeconds: Type.Optional(Type.Integer({ minimum: 0, maximum: maxWaitSeconds, default: 0 })),
  release: Type.Optional(Release),
  held: Type.Optional(Nullable(Type.Object({ deploymentId: Id, fence: Fence }))),
})
export type ClaimBody = Static<typeof ClaimBody>

export const LogsBody = Type.Object({
  fence: Fence,
  batch: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
  lines: Type.Array(
    Type.Object({
      at: Type.Optional(Text(40)),
      level: Type.Optional(OneOf(logLevels)),
      line: Type.String({ maxLength: 65_536 }),
    }),
    { maxItems: maxLogLines },
  ),
})
export type LogsBody = Static<typeof LogsBody>

export const ResultBody = Type.Object({
  fence: Fence,
  ok: Type.Boolean(),
  hook: Type.Optional(Nullable(Word)),
  exitCode: Type.Optional(Nullable(Type.Integer({ minimum: -1_000_000, maximum: 1_000_000 }))),
  message: Type.Optional(Nullable(Text(2_000))),
  /** The agent trusts the release's bytes or its signature not. */
  refused: Type.Optional(Type.Boolean()),
  release: Release,
  hooks: Type.Optional(Type.Array(Hook, { maxItems: 20 })),
})
export type ResultBody = Static<typeof ResultBody>

const SigningKey = Type.Object({
  keyId: Type.String(),
  publicKey: Type.String(),
  endorsements: Type.Array(
    Type.Object({
      payloadType: Type.String(),
      payload: Type.String(),
      signatures: Type.Array(Type.Object({ keyid: Type.String(), sig: Type.String() })),
    }),
  ),
})
const Keys = Type.Unsafe<readonly EndorsedKey[]>(
  Type.Array(SigningKey, {
    description: 'Keys by which the organization signs, each endorsed by its neighbours.',
  }),
)

export const EnrollAnswer = Type.Object({
  ok: Type.Literal(true),
  agent: Type.Object({ id: Id, name: Type.String() }),
  token: Type.String(),
  organization: Type.String(),
  keys: Keys,
})

export const HeartbeatAnswer = Type.Object({
  ok: Type.Literal(true),
  protocol: Type.Integer(),
  organization: Type.String(),
  leaseUntil: Nullable(Time),
  stop: Type.Boolean(),
  paused: Type.Boolean(),
  keys: Keys,
})

const HookOfRelease = Type.Object({ path: Type.String(), repeatable: Type.Boolean() })
export const ClaimAnswer = Type.Object({
  deployment: Type.Object({
    id: Id,
    fence: Fence,
    action: OneOf(hostActions),
    leaseUntil: Time,
    release: Type.Object({
      digest: Type.String(),
      contentDigest: Type.String(),
      sizeBytes: Type.Integer(),
      runId: Id,
      provenance: Type.Unknown({ description: 'A Sigstore bundle; null without a signature.' }),
    }),
    hooks: Type.Object({
      install: Type.Optional(HookOfRelease),
      activate: Type.Optional(HookOfRelease),
      health: Type.Optional(HookOfRelease),
      rollback: Type.Optional(HookOfRelease),
    }),
    timeouts: Type.Object(
      {
        install: Type.Optional(Type.Integer()),
        activate: Type.Optional(Type.Integer()),
        health: Type.Optional(Type.Integer()),
        rollback: Type.Optional(Type.Integer()),
      },
      { description: 'Seconds of each hook.' },
    ),
    keep: Type.Integer(),
    env: Type.Array(
      Type.Object({ key: Type.String(), value: Type.String(), sensitive: Type.Boolean() }),
    ),
    order: Type.Unknown({
      description:
        'A DSSE envelope that covers release, hooks, timeouts, keep, target and names in env; null for a deployment that began before there were orders.',
    }),
  }),
  keys: Keys,
})
export type ClaimAnswer = Static<typeof ClaimAnswer>
