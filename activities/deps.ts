import type { Logger } from 'pino'
import type { ActingRun } from '../app/clouds/sign-web-identity.ts'
import type { Keyring } from '../gateways/keyring/keyring.ts'
import type { Sandbox } from '../gateways/sandbox/workbench.ts'
import type { ArtifactStore } from '../gateways/artifacts/artifact-store.ts'
import type { BuildLimits } from '../gateways/runner/protocol.ts'
import type { BillReader } from '../gateways/duckdb/create-bill-reader.ts'
import type { RunnerPool } from '../gateways/runner/runner-pool.ts'
import type { Cloud } from '../gateways/clouds/cloud.ts'
import type { Outbound } from '../gateways/outbound/outbound.ts'
import type { Store } from '../store/driver/connect.ts'
import type { CloudAccount } from '../store/clouds/cloud-account-row.ts'
import type { ChangeFeed } from '../store/platform/change-feed.ts'
import type { BillPlaces } from './finops/bill-places.ts'
import type { SlotShares } from './runs/slot-shares.ts'

/** The dependencies of the activities: made once by the worker, and by tests. */
export type Deps = {
  store: Store
  keyring: Keyring
  outbound: Outbound
  /** The cloud of a connected account, with the account's own credentials; `run` is the one that it lends to. */
  openCloud: (account: CloudAccount, run?: ActingRun) => Promise<Cloud>
  /** The public address of this service. */
  publicOrigin: string
  sandbox: Sandbox
  /** Processes that handle the bytes of one tenant each. */
  runners: RunnerPool
  /** Limit of a plan as JSON. */
  planJsonBytes: number
  /** The folder on a disk for the files of bills while they are read. */
  billingDir: string
  /** Reads a bill in the sandbox. */
  readBills: BillReader['readBills']
  /** Limit of the files of one bill. */
  billBytes: number
  billPlaces: BillPlaces
  builds: BuildDeps
  changes: ChangeFeed
  log: Logger
  /** The name of this worker in attempts and logs. */
  worker: string
  /** `1.12.6`: part of every plan's digest. */
  engineVersion: string
  /** The operator's OpenTofu CLI configuration (mirrors, caches). */
  cliConfig: string | undefined
  /** Aborted when this worker is told to stop: plans are given up at once, applies finish. */
  stopping: AbortSignal
  /** Keeps one organization from holding all slots of this worker for plans and applies. */
  slotShares: SlotShares
  /** The state of a workflow in Temporal, for the reconciler. */
  workflowState: (workflowId: string) => Promise<'running' | 'closed' | 'missing'>
}

/** What fetches and builds of applications need. */
export type BuildDeps = {
  /** Whose work folders lie on a disk: a source may be larger than memory. */
  sandbox: Pick<Sandbox, 'lend'>
  /** Of one work folder. */
  folderBytes: number
  limits: BuildLimits
  /** Folders of the host with toolchains. */
  tools: readonly string[]
  artifacts: ArtifactStore
  /** What is kept between builds, beside the artifacts: one that is gone costs time alone. */
  caches: ArtifactStore
  /** Whether the sandbox has the program that makes bills of materials. */
  describes: boolean
  /** Keeps one organization from holding all slots of this worker for fetches and builds. */
  slotShares: SlotShares
  /** The folder on a disk for archives on their way to the store. */
  incomingDir: string
}
