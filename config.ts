import { readBilling, type BillingConfig } from './config/billing.ts'
import { readBuilds, type BuildsConfig } from './config/builds.ts'
import { readClouds, type CloudsConfig } from './config/clouds.ts'
import { readDatabase, type DatabaseConfig } from './config/database.ts'
import { readEnvironment } from './config/environment.ts'
import { isGeneratedKeyring, readKeyring, type KeyringConfig } from './config/keyring.ts'
import { readOutbound, type OutboundConfig } from './config/outbound.ts'
import { readRuns, type RunsConfig } from './config/runs.ts'
import { Secret } from './config/secret.ts'
import { readServer, type ServerConfig } from './config/server.ts'
import { readSignIn, type SignInConfig } from './config/sign-in.ts'
import { readTemporal, type TemporalConfig } from './config/temporal.ts'

export { Secret }

export type Config = ServerConfig &
  DatabaseConfig &
  CloudsConfig &
  BillingConfig &
  BuildsConfig &
  OutboundConfig &
  RunsConfig &
  SignInConfig &
  Readonly<{ temporal: TemporalConfig; keyring: KeyringConfig; keyringIsGenerated: boolean }>

/**
 * Reads the whole environment once and reports all faults in one error, so that an operator
 * corrects them together. The API and the worker read `process.env` nowhere else.
 */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const environment = readEnvironment(env)
  const config: Config = {
    ...readServer(environment),
    ...readDatabase(environment),
    temporal: readTemporal(environment),
    keyring: readKeyring(environment),
    keyringIsGenerated: isGeneratedKeyring(environment),
    ...readRuns(environment),
    ...readOutbound(environment),
    ...readSignIn(environment),
    ...readClouds(environment),
    ...readBilling(environment),
    ...readBuilds(environment),
  }
  if (environment.faults.length > 0) throw new ConfigError(environment.faults)
  return Object.freeze(config)
}

export class ConfigError extends Error {
  constructor(faults: string[]) {
    super(
      `The configuration has ${faults.length} fault(s):\n${faults.map((f) => `  - ${f}`).join('\n')}`,
    )
    this.name = 'ConfigError'
  }
}
