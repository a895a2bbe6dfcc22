import type { Logger } from 'pino'
import type { Keyring } from '../gateways/keyring/keyring.ts'
import type { Sandbox } from '../gateways/sandbox/workbench.ts'
import type { RunnerPool } from '../gateways/runner/runner-pool.ts'
import type { Outbound } from '../gateways/outbound/outbound.ts'
import type { Store } from '../store/connect.ts'
import type { ChangeFeed } from '../store/platform/change-feed.ts'

/** What the activities work with: made once by the worker, and by tests. */
export type Deps = {
  store: Store
  keyring: Keyring
  outbound: Outbound
  /** Where this service is reached from outside. */
  publicOrigin: string
  sandbox: Sandbox
  /** Processes of their own for what is a tenant's. */
  runners: RunnerPool
  /** The most that a plan may take as JSON. */
  planJsonBytes: number
  changes: ChangeFeed
  log: Logger
  /** Names this worker in attempts and logs. */
  worker: string
  /** `1.12.6`: part of every plan's digest. */
  engineVersion: string
  /** The operator's OpenTofu CLI configuration (mirrors, caches). */
  cliConfig: string | undefined
  /** Raised when this worker is told to stop: plans are given up at once, applies finish. */
  stopping: AbortSignal
  /** Asks the engine how a run's workflow is, for the reconciler. */
  workflowState: (workflowId: string) => Promise<'running' | 'closed' | 'missing'>
}
