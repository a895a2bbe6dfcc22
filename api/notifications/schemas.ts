import { Type, type Static } from 'typebox'
import { capabilities } from '../../domain/access/roles.ts'
import { costScopeKinds } from '../../domain/finops/cost-scope.ts'
import { notificationKinds } from '../../store/notifications/notifications.ts'
import { scopeFields } from '../finops/scope-columns.ts'
import { OneLine } from '../http/one-line.ts'
import { Pattern } from '../http/pattern.ts'
import { Body, Id, Nullable, OneOf, Text, Time } from '../http/schemas.ts'

const digests = ['immediate', 'daily'] as const
const states = ['untried', 'working', 'failing'] as const

const RecipientsBody = Body({
  userIds: Type.Optional(Type.Array(Id, { maxItems: 100, uniqueItems: true })),
  /** Everybody who has it when the event happens, and still when the mail is written. */
  capability: Type.Optional(Nullable(OneOf(capabilities))),
  /** The authors of the runs that an anomaly names. */
  owners: Type.Optional(Type.Boolean()),
})
export type RecipientsBody = Static<typeof RecipientsBody>

export const NotificationBody = Type.Object({
  id: Id,
  name: Type.String(),
  kind: OneOf(notificationKinds),
  url: Nullable(Type.String()),
  recipients: Nullable(
    Type.Object({
      userIds: Type.Array(Id),
      capability: Nullable(OneOf(capabilities)),
      owners: Type.Boolean(),
    }),
  ),
  events: Type.Array(Type.String()),
  scopeKind: Nullable(OneOf(costScopeKinds)),
  scopeValue: Nullable(Type.String()),
  minimumImpact: Nullable(Type.Number()),
  digest: OneOf(digests),
  enabled: Type.Boolean(),
  state: OneOf(states),
  failingSince: Nullable(Time),
  lastSentAt: Nullable(Time),
  lastStatus: Nullable(Type.Integer()),
  lastError: Nullable(Type.String()),
  createdAt: Time,
  updatedAt: Time,
})
export type NotificationBody = Static<typeof NotificationBody>

/** Bounded here, and parsed and checked in check-url.ts. */
const Url = Text(1_000, 1)
const fields = {
  name: OneLine(100),
  events: Type.Array(
    Pattern('^[a-z.*]+$', 'an event, as budget.exceeded, or a pattern, as anomaly.*', {
      maxLength: 60,
    }),
    { minItems: 1, maxItems: 50 },
  ),
  /** The scope of a budget, or null: as all. */
  scopeKind: Nullable(scopeFields.scopeKind),
  scopeValue: scopeFields.scopeValue,
  minimumImpact: Nullable(Type.Number({ minimum: 0, maximum: 1e15 })),
  digest: OneOf(digests),
  enabled: Type.Boolean(),
}

export const NewNotificationBody = Body({
  kind: OneOf(notificationKinds),
  name: fields.name,
  events: fields.events,
  url: Type.Optional(Url),
  recipients: Type.Optional(RecipientsBody),
  scopeKind: Type.Optional(fields.scopeKind),
  scopeValue: Type.Optional(fields.scopeValue),
  minimumImpact: Type.Optional(fields.minimumImpact),
  digest: Type.Optional(fields.digest),
  enabled: Type.Optional(fields.enabled),
})
export type NewNotificationBody = Static<typeof NewNotificationBody>

export const NotificationChangeBody = Body({
  name: Type.Optional(fields.name),
  events: Type.Optional(fields.events),
  url: Type.Optional(Url),
  recipients: Type.Optional(RecipientsBody),
  scopeKind: Type.Optional(fields.scopeKind),
  scopeValue: Type.Optional(fields.scopeValue),
  minimumImpact: Type.Optional(fields.minimumImpact),
  digest: Type.Optional(fields.digest),
  enabled: Type.Optional(fields.enabled),
})
export type NotificationChangeBody = Static<typeof NotificationChangeBody>

export const NotificationAnswer = Type.Object({
  ok: Type.Literal(true),
  notification: NotificationBody,
})
/** `secret` is in this answer alone: the key of a webhook's signatures. */
export const CreatedNotificationAnswer = Type.Object({
  ok: Type.Literal(true),
  notification: Type.Object({
    ...NotificationBody.properties,
    secret: Type.Optional(Type.String()),
  }),
})

/** `secret` is in this answer alone. */
export const SecretAnswer = Type.Object({ ok: Type.Literal(true), secret: Type.String() })

export const TriedAnswer = Type.Object({
  ok: Type.Literal(true),
  delivery: Type.Object({
    state: OneOf(['waiting', 'sent', 'failed']),
    status: Nullable(Type.Integer()),
    error: Nullable(Type.String()),
    /** How many people are mailed. */
    recipients: Nullable(Type.Integer()),
  }),
})
export type Tried = Static<typeof TriedAnswer>['delivery']
