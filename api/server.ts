import { once } from 'node:events'
import { writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import type { FastifyInstance } from 'fastify'
import { Connection } from '@temporalio/client'
import pino from 'pino'
import { collectDefaultMetrics } from 'prom-client'
import { ConfigError, readConfig, type Config } from '../config.ts'
import { openArtifactStore } from '../gateways/artifacts/open-artifact-store.ts'
import { databaseLogins } from '../gateways/keyring/database-logins.ts'
import { createKeyring } from '../gateways/keyring/keyring.ts'
import { serveMetrics } from '../gateways/metrics/serve-metrics.ts'
import { createOutbound } from '../gateways/outbound/outbound.ts'
import { createPolicyCompiler } from '../gateways/opa/create-policy-compiler.ts'
import { createFormatter } from '../gateways/tofu/create-formatter.ts'
import { connectionOptions } from '../gateways/temporal/connection-options.ts'
import { createEngineHealth } from '../gateways/temporal/engine-health.ts'
import { connectStore } from '../store/driver/connect.ts'
import { openChangeFeed } from '../store/platform/change-feed.ts'
import { prepareStore } from '../store/prepare-store.ts'
import { createApp } from './app.ts'
import { taskQueues } from '../workflows/platform/contract.ts'

/** Under `npm start` the store is prepared already. The password is generated once, and nothing else can show it. */
function sayGenerated({ firstSignIn }: Awaited<ReturnType<typeof prepareStore>>): void {
  if (!firstSignIn?.password) return
  const { email, password } = firstSignIn
  process.stderr.write(`first sign-in: ${email}, password ${password} (shown this once)\n`)
}

/** A second API of a supervisor, which takes over as soon as the first has ended (engines/start-process.ts). */
const isSpare = process.argv.includes('--spare')
const preparedDescriptor = 3

/** Prepares what the first requests need, and waits for a line of the supervisor. Ends with it. */
async function untilBegun(app: FastifyInstance): Promise<void> {
  await app.ready()
  flushCompileCache()
  writeSync(preparedDescriptor, 'prepared')
  const { stdin } = process
  const begun = await Promise.race([
    once(stdin, 'data').then(() => true),
    once(stdin, 'end').then(() => false),
  ])
  if (!begun) process.exit(0)
  stdin.destroy()
}

/** The API process: reads the configuration, connects, listens, and closes gracefully. */
async function main(config: Config): Promise<void> {
  // A write per line would be among the most expensive parts of a request. Buffered lines are written
  // when the process ends; only a kill loses them.
  const destination = pino.destination({ sync: false, minLength: 8_192, periodicFlush: 100 })
  const log = pino({ level: config.logLevel, base: { part: 'api' } }, destination)
  sayGenerated(await prepareStore(config))

  const logins = databaseLogins(config)
  const store = connectStore(logins, config.databasePoolSize, { isShared: true })
  const connection = Connection.lazy(connectionOptions(config))
  const changes = openChangeFeed(logins)
  const policies = createPolicyCompiler(config, log)
  const formatter = createFormatter(config, log)
  const deps = {
    config,
    store,
    keyring: createKeyring(config.keyring),
    engine: createEngineHealth(connection, config.temporal.namespace, taskQueues),
    outbound: createOutbound(config),
    artifacts: openArtifactStore(config),
    policies,
    formatter,
    changes,
    log,
  }
  const app = await createApp(deps)
  if (isSpare) await untilBegun(app)
  collectDefaultMetrics({ register: app.metrics })
  const metricsServer = serveMetrics(app.metrics, {
    host: config.metricsHost,
    port: config.metricsPort,
    log,
  })
  await app.listen({ host: config.host, port: config.port })
  log.info({ host: config.host, port: config.port }, 'listening')
  // Node writes its cache at an orderly exit only, and a killed process has none.
  if (!isSpare) flushCompileCache()

  const closeAll = async () => {
    metricsServer.close()
    await app.close()
    const parts = [changes, store, connection, policies, formatter]
    await Promise.all(parts.map(async (part) => part.close()))
  }
  let closing = false
  const close = (signal: string) => {
    if (closing) return
    closing = true
    log.info({ signal }, 'closing')
    // An open stream would keep the process alive for ever.
    setTimeout(() => process.exit(0), 8_000).unref()
    void closeAll().then(() => process.exit(0))
  }
  process.on('SIGTERM', close)
  process.on('SIGINT', close)
}

try {
  await main(readConfig())
} catch (error) {
  // Written to the terminal, because no logger exists yet.
  process.stderr.write(`${error instanceof ConfigError ? error.message : String(error)}\n`)
  process.exit(1)
}
