import { Type, type Static } from 'typebox'
import { Id, Nullable, OneOf, Page, Time } from '../http/schemas.ts'
import { Moment, Pattern, QueryText } from '../http/pattern.ts'

export const EntryBody = Type.Object({
  id: Type.Integer(),
  at: Time,
  event: Type.String(),
  outcome: OneOf(['success', 'denied', 'failure']),
  actor: Type.Object({
    kind: OneOf(['user', 'token', 'scim', 'agent', 'system']),
    id: Nullable(Id),
    label: Type.String(),
  }),
  target: Nullable(
    Type.Object({
      kind: Type.String(),
      id: Type.Union([Type.Integer(), Type.String()]),
      label: Nullable(Type.String()),
      /** Of a run that has a number: its place in the pipeline of its workspace. */
      run: Type.Optional(Type.Object({ pipelineId: Id, number: Type.Integer() })),
    }),
  ),
  detail: Type.Unknown(),
  ip: Nullable(Type.String()),
  requestId: Nullable(Type.String()),
  /** The hash of the chain up to this entry, in hex; null until it is sealed some seconds later. */
  hash: Nullable(Type.String()),
  /** For a denial: how often it happened in its minute. */
  count: Type.Optional(Type.Integer()),
})
export type EntryBody = Static<typeof EntryBody>

const AuditQuery = {
  event: Type.Optional(
    Pattern(
      '^[A-Za-z_]+(\\.[A-Za-z_]+|\\.?\\*)?$',
      'an event’s name, or an area: pipeline or pipeline.*',
      { maxLength: 100 },
    ),
  ),
  actor: Type.Optional(
    QueryText({
      minLength: 1,
      maxLength: 320,
      description: 'user:12, a kind, an id, or the label (a person’s address).',
    }),
  ),
  target: Type.Optional(
    QueryText({
      minLength: 1,
      maxLength: 320,
      description: 'workspace:12, a kind, an id, or the label (a name, a person’s address).',
    }),
  ),
  from: Type.Optional(Moment),
  to: Type.Optional(Moment),
}

export const AuditPage = Type.Object({ ...Page.properties, ...AuditQuery })
export const AuditExport = Type.Object(AuditQuery)
export type AuditExport = Static<typeof AuditExport>

export const ChainBody = Type.Object({
  ok: Type.Boolean(),
  /** The last verified entry; null if none is sealed yet. */
  throughId: Nullable(Type.Integer()),
  /** How many entries are verified. */
  entries: Type.Integer(),
  /** The first entry that differs from what was sealed. */
  brokenAt: Type.Optional(Type.Integer()),
  /** How many sealed entries are missing at the end. */
  missing: Type.Optional(Type.Integer()),
})
export type ChainBody = Static<typeof ChainBody>
