import type {
  AccountCheck,
  AwsCredentials,
  AzureCredentials,
  CloudProvider,
  Coverage,
  FoundResource,
  GoogleCredentials,
  Place,
} from '../../domain/clouds/cloud-account.ts'
import type { Outbound } from '../outbound/outbound.ts'

/** Where an account's calls go, in place of the cloud's own addresses. */
export type CloudEndpoints = {
  identity?: string
  resources?: string
  storage?: string
  warehouse?: string
}

type Settings = {
  accountId: string
  externalId: string
  regions: string[] | null
  /** `endpoint` is already in each of them. */
  endpoints: CloudEndpoints
  billing: Record<string, unknown> | null
  runs: Record<string, unknown> | null
}
export type AwsTarget = Settings & { provider: 'aws'; credentials: AwsCredentials }
export type AzureTarget = Settings & { provider: 'azure'; credentials: AzureCredentials }
export type GoogleTarget = Settings & { provider: 'gcp'; credentials: GoogleCredentials }

/** One account, with its credentials opened. Never logged. */
export type CloudTarget = Settings & {
  provider: CloudProvider
  credentials: AwsCredentials | AzureCredentials | GoogleCredentials
}

export type AwsIdentity = 'none' | 'environment' | 'instance'

export type CloudDeps = {
  outbound: Outbound
  /** A token of the organization's issuer for this audience, with the account as its subject. */
  webIdentity(audience: string): Promise<string>
  /** Where the service finds its own AWS identity, which calls `sts:AssumeRole` and nothing else. */
  awsIdentity: AwsIdentity
}

export type Validation = {
  checks: AccountCheck[]
  outcome: 'answered' | 'rejected' | 'unreachable'
  /** Why not `answered`: what happened and what to do. */
  reason: string | null
}
export type Places = { coverage: Coverage; places: Place[] }
export type ResourcePage = { resources: FoundResource[]; next: string | null }
export type Member = { accountId: string; name: string; status: string }

/**
 * One account at its cloud. Failures are `CloudFault`s. An endpoint at an address that is not allowed is the
 * `AppError` of `gateways/outbound/` (`address_not_allowed`), from each method.
 */
export interface Cloud {
  /** All parts at once, within 10 s, by the cheapest real call of each. A refusal is a check, not an exception. */
  validate(signal?: AbortSignal): Promise<Validation>
  /** What there is to look at. Places that are switched off or denied are in it with that state. */
  places(signal?: AbortSignal): Promise<Places>
  /** One page of a place, from the start without a cursor. Throttling is waited for, as long as the cloud asks. */
  resources(place: Place, cursor: string | null, signal?: AbortSignal): Promise<ResourcePage>
  /** AWS: the accounts of its organization; undefined where it may not ask, or is in none. */
  members?(signal?: AbortSignal): Promise<Member[] | undefined>
  /** Closes the connections. */
  close(): void
}
