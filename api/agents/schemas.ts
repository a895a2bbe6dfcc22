import { Type, type Static } from 'typebox'
import { labelForm, labelWords, maxLabels } from '../../domain/agents/agent-labels.ts'
import { maxAgentsOfWorkspace } from '../../domain/agents/agent-limits.ts'
import { agentStates } from '../../store/agents/agents.ts'
import { Pattern } from '../http/pattern.ts'
import { Body, Id, NextCursor, Nullable, OneOf, Page, Time } from '../http/schemas.ts'

/** As host names are, so that a host can enroll under its own. */
export const AgentName = Pattern(
  '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$',
  '1 to 100 letters, digits, ".", "_" and "-", of which the first is a letter or digit',
  { maxLength: 100 },
)

const Labels = Type.Record(
  Pattern(labelForm, labelWords, { maxLength: 63 }),
  Pattern(labelForm, labelWords, { maxLength: 63 }),
  { maxProperties: maxLabels, additionalProperties: false },
)

export const NewAgentBody = Body({
  name: AgentName,
  workspaceId: Id,
  labels: Type.Optional(Labels),
  join: Type.Optional(
    Body({
      maxAgents: Type.Integer({ minimum: 1, maximum: maxAgentsOfWorkspace }),
      expiresInDays: Type.Integer({ minimum: 1, maximum: 90 }),
    }),
  ),
})
export type NewAgentBody = Static<typeof NewAgentBody>

export const AgentChangeBody = Body({
  name: Type.Optional(AgentName),
  labels: Type.Optional(Labels),
  paused: Type.Optional(Type.Boolean()),
})
export type AgentChangeBody = Static<typeof AgentChangeBody>

/** `runId` is null where the agent did not say by which run it got there. */
const ReleaseBody = Type.Object({
  digest: Type.String(),
  runId: Nullable(Id),
})

export const AgentBody = Type.Object({
  id: Id,
  name: Type.String(),
  workspaceId: Id,
  labels: Type.Record(Type.String(), Type.String()),
  state: OneOf(agentStates),
  version: Nullable(Type.String()),
  protocol: Nullable(Type.Integer()),
  os: Nullable(Type.String()),
  arch: Nullable(Type.String()),
  lastSeenAt: Nullable(Time),
  release: Nullable(ReleaseBody),
  busy: Type.Boolean(),
  /** Null for a host. */
  join: Nullable(
    Type.Object({
      maxAgents: Type.Integer(),
      enrolled: Type.Integer(),
      expiresAt: Nullable(Time),
    }),
  ),
  createdAt: Time,
})
export type AgentBody = Static<typeof AgentBody>

export const AgentAnswer = Type.Object({ ok: Type.Literal(true), agent: AgentBody })

/** The token is shown here, once. */
export const NewAgentAnswer = Type.Object({
  ok: Type.Literal(true),
  agent: AgentBody,
  token: Type.String(),
  install: Type.String(),
})

export const AgentList = Type.Object({ agents: Type.Array(AgentBody), nextCursor: NextCursor })

export const AgentQuery = Type.Object({
  ...Page.properties,
  workspaceId: Type.Optional(Id),
  state: Type.Optional(OneOf(agentStates)),
  label: Type.Optional(
    Type.Array(Pattern('^[^=\\u0000]{1,63}=[^=\\u0000]{1,63}$', 'a label as role=web'), {
      maxItems: maxLabels,
      description: 'Agents that have all of these labels, as `role=web`.',
    }),
  ),
})
