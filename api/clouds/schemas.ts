import { IngestSummaryBody } from '../finops/ingests/schemas.ts'
import { Type, type Static } from 'typebox'
import { cloudProviders } from '../../domain/clouds/cloud-account.ts'
import { OneLine } from '../http/one-line.ts'
import { Body, Id, Nullable, OneOf, Text, Time } from '../http/schemas.ts'
import { SyncBody } from './resource-schemas.ts'

const statuses = ['pending', 'healthy', 'degraded', 'invalid_credentials', 'unreachable'] as const
const parts = ['identity', 'inventory', 'billing', 'runs'] as const
const states = ['ok', 'missing', 'failed', 'off'] as const

const AccountCheckBody = Type.Object({
  part: OneOf(parts),
  state: OneOf(states),
  reason: Nullable(Type.String()),
  missing: Type.Array(Type.String()),
})

const Endpoint = Text(500, 1)
/** STS, Entra's authority and Google's token hosts; inventory; object storage; BigQuery. */
const EndpointsBody = Body({
  identity: Type.Optional(Endpoint),
  resources: Type.Optional(Endpoint),
  storage: Type.Optional(Endpoint),
  warehouse: Type.Optional(Endpoint),
})

const RunIdentityBody = Type.Union([
  Type.Literal('account'),
  Body({
    roleArn: Type.Optional(Text(700, 1)),
    clientId: Type.Optional(Text(36, 1)),
    serviceAccountEmail: Type.Optional(Text(330, 1)),
  }),
])
/** What a run of a workspace that names the account is lent in each phase. */
const RunsBody = Body({
  plan: Type.Optional(RunIdentityBody),
  apply: Type.Optional(RunIdentityBody),
})

export const CloudAccountBody = Type.Object({
  id: Id,
  provider: OneOf(cloudProviders),
  accountId: Type.String(),
  name: Type.String(),
  externalId: Type.String(),
  credentialsSet: Type.Boolean(),
  credentialsKind: OneOf(['federation', 'role', 'keys']),
  billing: Nullable(Type.Record(Type.String(), Type.String())),
  regions: Nullable(Type.Array(Type.String())),
  endpoint: Nullable(Type.String()),
  endpoints: EndpointsBody,
  runs: Nullable(RunsBody),
  syncIntervalMinutes: Type.Integer(),
  ingestIntervalHours: Type.Integer(),
  status: OneOf(statuses),
  statusReason: Nullable(Type.String()),
  checks: Type.Array(AccountCheckBody),
  validatedAt: Nullable(Time),
  /** The newest one, which may be running. */
  sync: Nullable(SyncBody),
  nextSyncAt: Time,
  /** Those that were present when the last sync ended. */
  resources: Type.Integer(),
  /** The last look at its bills; null while there was none. */
  ingest: Nullable(IngestSummaryBody),
  /** Null for an account without billing settings. */
  nextIngestAt: Nullable(Time),
  completeThrough: Nullable(Type.String({ description: 'The last day whose cost is complete.' })),
  createdAt: Time,
  updatedAt: Time,
})
export type CloudAccountBody = Static<typeof CloudAccountBody>

/** One of the forms of the account's provider (`domain/clouds/check-credentials.ts`). */
const CredentialsBody = Body({
  roleArn: Type.Optional(Text(700, 1)),
  accessKeyId: Type.Optional(Text(128, 1)),
  secretAccessKey: Type.Optional(Text(128, 1)),
  tenantId: Type.Optional(Text(36, 1)),
  clientId: Type.Optional(Text(36, 1)),
  clientSecret: Type.Optional(Text(256, 1)),
  workloadIdentityProvider: Type.Optional(Text(300, 1)),
  serviceAccountEmail: Type.Optional(Text(330, 1)),
  serviceAccountKey: Type.Optional(Text(10_000, 1)),
})

const BillingBody = Body({
  bucket: Type.Optional(Text(222, 1)),
  prefix: Type.Optional(Text(1_000)),
  region: Type.Optional(Text(32, 1)),
  exportName: Type.Optional(Text(128, 1)),
  storageAccount: Type.Optional(Text(24, 1)),
  container: Type.Optional(Text(63, 1)),
  directory: Type.Optional(Text(1_000)),
  sasToken: Type.Optional(Text(2_000, 1)),
  connectionString: Type.Optional(Text(2_000, 1)),
  projectId: Type.Optional(Text(130, 1)),
  dataset: Type.Optional(Text(1_000, 1)),
  table: Type.Optional(Text(1_000, 1)),
  endpoint: Type.Optional(Endpoint),
})

const Regions = Type.Array(Type.String({ pattern: '^[a-z]{2}[a-z0-9-]{2,30}$', maxLength: 32 }), {
  minItems: 1,
  maxItems: 100,
  uniqueItems: true,
})

const settings = {
  billing: Type.Optional(Nullable(BillingBody)),
  regions: Type.Optional(Nullable(Regions)),
  endpoint: Type.Optional(Nullable(Endpoint)),
  endpoints: Type.Optional(EndpointsBody),
  runs: Type.Optional(Nullable(RunsBody)),
  /** May only repeat the organization's own. */
  externalId: Type.Optional(Text(200, 1)),
  syncIntervalMinutes: Type.Optional(Type.Integer({ minimum: 5, maximum: 10_080 })),
  ingestIntervalHours: Type.Optional(Type.Integer({ minimum: 1, maximum: 168 })),
}

export const NewCloudAccountBody = Body({
  provider: OneOf(cloudProviders),
  accountId: Text(130, 1),
  name: OneLine(100),
  credentials: CredentialsBody,
  ...settings,
})
export type NewCloudAccountBody = Static<typeof NewCloudAccountBody>

export const CloudAccountChangeBody = Body({
  name: Type.Optional(OneLine(100)),
  credentials: Type.Optional(CredentialsBody),
  ...settings,
})
export type CloudAccountChangeBody = Static<typeof CloudAccountChangeBody>

export const CloudAccountAnswer = Type.Object({
  ok: Type.Literal(true),
  account: CloudAccountBody,
})

export const HowToDisconnect = Type.Object(
  {
    detach: Type.Optional(Type.Boolean({ default: false })),
    purge: Type.Optional(Type.Boolean({ default: false })),
  },
  { additionalProperties: false },
)
