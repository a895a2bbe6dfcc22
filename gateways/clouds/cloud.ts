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
import type { Unanswered } from '../../domain/clouds/account-status.ts'
import type { LentIdentities, RunPhase } from '../../domain/clouds/check-runs.ts'
import type { Outbound } from '../outbound/outbound.ts'
import type { Pace } from './bills/pace.ts'

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
  runs: LentIdentities | null
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
  /** The same for a run: its workspace and phase are the subject. */
  runIdentity(audience: string, phase: RunPhase): Promise<string>
  /** The token that was asked for in this phase names no workspace, since none uses the account. */
  namesNoWorkspace?(phase: RunPhase): boolean
  /** Where the service finds its own AWS identity, which calls `sts:AssumeRole` and nothing else. */
  awsIdentity: AwsIdentity
}

/** What a run is lent, for an hour at most. The account's own key or secret is no part of it. */
export type Lent = { expiresAt: Date } & (
  | { kind: 'aws'; accessKeyId: string; secretAccessKey: string; sessionToken: string }
  /** A token of the organization's issuer, which the run exchanges itself (RFC 7523). */
  | { kind: 'azure'; assertion: string }
  | { kind: 'gcp'; accessToken: string }
)
export type LendAsked = {
  phase: RunPhase
  /** Shown in the cloud's own logs. */
  name: string
  /** A validation found that the credentials are the account's own. Otherwise they are looked at first. */
  isOwnerKnown?: boolean
  signal?: AbortSignal | undefined
}

export type Validation = {
  checks: AccountCheck[]
  outcome: 'answered' | 'rejected' | 'unreachable'
  /** Why not `answered`: what happened and what to do. */
  reason: string | null
  /** Their checks say so as `failed`, which is no fault of the account. */
  unanswered?: Unanswered
}
export type Places = { coverage: Coverage; places: Place[] }
export type ResourcePage = { resources: FoundResource[]; next: string | null }
/** `status` in the cloud's own word: ACTIVE, SUSPENDED, PENDING_CLOSURE. */
export type Member = { accountId: string; name: string; status: string }
export type MemberPage = { members: Member[]; next: string | null }

/** One file of a bill as its storage has it now. `key` is the storage's name: never a path of this machine. */
export type BillFile = { key: string; size: number; etag: string }

/** The bill of one month. */
export type FoundSlice = {
  /** `YYYY-MM`. */
  period: string
  state: 'ready' | 'waiting'
  /** Why it is waiting: what is missing, and what ends the wait. */
  reason: string | null
  /** Which document, folder or table said so, to show to people. */
  manifest: string
  /** SHA-256, in hexadecimal, of the sorted key, etag and size of each file. */
  hash: string
  /** How many rows the manifest promises; null where it does not say. */
  rows: number | null
  files: BillFile[]
}

export type FetchProgress = {
  signal: AbortSignal
  /** After each write to the disk, with how many bytes it was. */
  onBytes(bytes: number): void
  /** Before a file is begun anew, with how many bytes were in it. */
  onRemoved?(bytes: number): void
  /** Before each request for a part of the file: waits for room on the disk. */
  beforePiece?(): Promise<void>
  /** Of all files that are fetched one after another; without it, of this file alone. */
  pace?: Pace
}

/** Files that were written for one reading of a slice. */
export type Unloaded = {
  files: BillFile[]
  /** Deletes them in the storage. Each is fetched before. */
  remove: () => Promise<void>
}

/** Where an account's bills are. */
export interface Bills {
  /** Where `find` looks, to show to people. */
  readonly place: string
  /**
   * The newest months that there are, three at most, and those in `also` (`YYYY-MM`), each once. A month without a
   * bill is not in it.
   */
  find(signal: AbortSignal, also?: readonly string[]): Promise<FoundSlice[]>
  /**
   * Has the cloud write the files of a slice, which take the place of its own. Undefined where the slice's own are
   * fetched. Throws `changed` as `fetch` does.
   */
  unload?(slice: FoundSlice, signal: AbortSignal): Promise<Unloaded>
  /**
   * Writes the file to `path`, from where the file at `path` ends. Throws a `CloudFault` of kind `changed`
   * where the storage has another file by now: delete what is at `path`, and find the slice again.
   */
  fetch(file: BillFile, path: string, progress: FetchProgress): Promise<void>
}

export type MembersAsked = { cursor: string | null; limit: number; signal?: AbortSignal }

/**
 * One account at its cloud. Failures are `CloudFault`s. An endpoint at an address that is not allowed is the
 * `AppError` of `gateways/outbound/` (`address_not_allowed`), from each method.
 */
export interface Cloud {
  /** All parts at once, within 10 s, by the cheapest real call of each. A refusal is a check, not an exception. */
  validate(signal?: AbortSignal): Promise<Validation>
  /** What there is to look at. Places that are switched off or denied are in it with that state. */
  places(signal?: AbortSignal): Promise<Places>
  /**
   * One page of a place as `places` gave it, from the start without a cursor. Throws `changed` where less of it can
   * be listed than was said then: what is left out would count as gone. Throttling is waited for, for half a minute or
   * as often as the cloud's client tries.
   */
  resources(place: Place, cursor: string | null, signal?: AbortSignal): Promise<ResourcePage>
  /** AWS: one page of the accounts of its organization, `limit` at most; undefined where it is in none. */
  members?(page: MembersAsked): Promise<MemberPage | undefined>
  /** Credentials of the identity that runs are lent in this phase; undefined where they are lent none. */
  lend(asked: LendAsked): Promise<Lent | undefined>
  /** Undefined where the account has no billing settings. */
  bills?(): Bills | undefined
  /** Closes the connections. */
  close(): void
}
