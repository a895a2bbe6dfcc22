import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { ArtifactStore } from '../gateways/artifacts/artifact-store.ts'
import type { Keyring } from '../gateways/keyring/keyring.ts'
import type { PolicyCompiler } from '../gateways/opa/create-policy-compiler.ts'
import type { Formatter } from '../gateways/tofu/create-formatter.ts'
import type { EngineHealth } from '../gateways/temporal/engine-health.ts'
import type { ChangeFeed } from '../store/platform/change-feed.ts'
import type { Outbound } from '../gateways/outbound/outbound.ts'
import type { Store } from '../store/driver/connect.ts'

/** The dependencies of the routes: made once in server.ts, and by tests. */
export type Deps = {
  config: Config
  store: Store
  keyring: Keyring
  outbound: Outbound
  artifacts: ArtifactStore
  engine: EngineHealth
  policies: PolicyCompiler
  formatter: Formatter
  changes: ChangeFeed
  log: Logger
}
