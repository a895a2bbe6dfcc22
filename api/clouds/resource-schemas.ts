import { Type, type Static, type TSchema } from 'typebox'
import { cloudProviders } from '../../domain/clouds/cloud-account.ts'
import { Cursor, QueryText } from '../http/pattern.ts'
import { Id, Nullable, OneOf, Page, Time } from '../http/schemas.ts'

/** Repeated, a filter means `or`. */
const Repeated = <T extends TSchema>(items: T) =>
  Type.Optional(Type.Array(items, { minItems: 1, maxItems: 50 }))
const Word = QueryText({ minLength: 1, maxLength: 200 })

export const ResourceQuery = Type.Object(
  {
    ...Page.properties,
    cursor: Type.Optional(Cursor('^[0-9a-f]{32}-[0-9]{1,10}$')),
    provider: Repeated(OneOf(cloudProviders)),
    accountId: Repeated(Id),
    service: Repeated(Word),
    type: Repeated(Word),
    // Some resources have no region.
    region: Repeated(QueryText({ maxLength: 200 })),
    tag: Repeated(QueryText({ minLength: 1, maxLength: 500, description: 'key or key=value.' })),
    q: Repeated(
      QueryText({
        minLength: 3,
        maxLength: 200,
        description: 'Any part of the name or of the cloud’s id, ignoring case.',
      }),
    ),
    workspaceId: Repeated(Id),
    managed: Repeated(Type.Boolean({ description: 'Whether a workspace holds it.' })),
    state: Repeated(OneOf(['present', 'gone', 'all'])),
  },
  { additionalProperties: false },
)
export type ResourceQuery = Static<typeof ResourceQuery>

export const ResourceBody = Type.Object({
  id: Id,
  /** Null: only a bill that was uploaded knows it. */
  accountId: Nullable(Id),
  provider: OneOf(cloudProviders),
  cloudId: Type.String(),
  service: Type.String(),
  type: Type.String(),
  name: Type.String(),
  region: Type.String(),
  tags: Type.Record(Type.String(), Type.String()),
  state: OneOf(['present', 'gone']),
  firstSeenAt: Time,
  lastSeenAt: Time,
  seenIn: Type.Array(OneOf(['inventory', 'bill'])),
  /** Whose current state holds it. */
  workspace: Nullable(Type.Object({ id: Id, name: Type.String(), address: Type.String() })),
  cost30Days: Nullable(
    Type.Number({
      description:
        'The effective cost of the last 30 days (UTC) and of today, as far as the current bills have them. Null: no bill has the resource, or its cost is in several currencies and one of them has no rate.',
    }),
  ),
  /** The organization’s, or the bill’s where there is no rate. */
  currency: Type.String(),
})
export type ResourceBody = Static<typeof ResourceBody>

const Counts = Type.Array(Type.Object({ value: Type.String(), count: Type.Integer() }))
export const SummaryBody = Type.Object({
  total: Type.Integer(),
  byProvider: Counts,
  byService: Counts,
  byRegion: Counts,
  managed: Type.Integer(),
  unmanaged: Type.Integer(),
})

const syncFields = {
  id: Id,
  trigger: OneOf(['schedule', 'request', 'connect']),
  state: OneOf(['running', 'succeeded', 'partial', 'failed']),
  reason: Nullable(
    Type.String({ description: 'Why it failed, or why it did not list all that there is.' }),
  ),
  startedAt: Time,
  endedAt: Nullable(Time),
  seen: Type.Integer(),
  added: Type.Integer(),
  changed: Type.Integer(),
  gone: Type.Integer(),
  coverage: Nullable(
    OneOf(['full', 'tagged_only'], {
      description: 'tagged_only: less than all is listed; reason says what is missing.',
    }),
  ),
}
export const SyncBody = Type.Object(syncFields)
export type SyncBody = Static<typeof SyncBody>

export const SyncWithPlacesBody = Type.Object({
  ...syncFields,
  /** Of a running sync those that were looked at. */
  places: Type.Array(
    Type.Object({
      region: Type.String(),
      service: Type.String(),
      state: OneOf(['ok', 'excluded', 'denied', 'failed']),
      seen: Type.Integer(),
      reason: Nullable(Type.String()),
    }),
  ),
})
