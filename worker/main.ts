import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { flushCompileCache } from 'node:module'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker'
import pino, { type Logger } from 'pino'
import { collectDefaultMetrics } from 'prom-client'
import { ConfigError, readConfig, type Config } from '../config.ts'
import { openArtifactStore } from '../gateways/artifacts/open-artifact-store.ts'
import { databaseLogins } from '../gateways/keyring/database-logins.ts'
import { createBillReader } from '../gateways/duckdb/create-bill-reader.ts'
import { createKeyring } from '../gateways/keyring/keyring.ts'
import { createOutbound } from '../gateways/outbound/outbound.ts'
import { serveMetrics } from '../gateways/metrics/serve-metrics.ts'
import { createMailer } from '../gateways/mail/mailer.ts'
import { buildSandbox } from '../gateways/sandbox/build-sandbox.ts'
import { lowerBackend } from '../gateways/sandbox/lower-backend.ts'
import { sandboxFor } from '../gateways/sandbox/sandbox-for.ts'
import { connectStore, type Store } from '../store/driver/connect.ts'
import { openChangeFeed } from '../store/platform/change-feed.ts'
import { makeWorkflowBundle } from './make-workflow-bundle.ts'
import { waitForSchema } from './wait-for-schema.ts'
import { createWorker, interruptSeconds, type RunningWorker } from './create-worker.ts'

/** The worker process: reads the configuration, connects, and runs until SIGTERM or SIGINT. */
async function main(config: Config): Promise<void> {
  const log = pino({ level: config.logLevel, base: { part: 'worker' } })
  forwardTemporalLogs(log)
  const logins = databaseLogins(config)
  const store = connectStore(logins, config.databasePoolSize, { onBackend: lowerBackend })
  await untilMigrated(store, log)
  const changes = openChangeFeed(logins)
  const { sandbox, bills, builds } = await openSandboxes(config, log)
  const artifacts = openArtifactStore(config)
  for (const note of sandbox.notes) log.warn({ sandbox: sandbox.kind }, note)

  const running = await createWorker({
    config,
    store,
    keyring: createKeyring(config.keyring),
    outbound: createOutbound(config),
    sandbox,
    builds,
    bills,
    artifacts,
    mail: createMailer(config, log),
    changes,
    log,
    name: `${hostname()}:${process.pid}`,
    engineVersion: await tofuVersion(config),
    cliConfig: config.tofuCliConfig && (await readFile(config.tofuCliConfig, 'utf8')),
    workflowBundle: await makeWorkflowBundle(join(config.dataDir, 'cache')),
  })
  collectDefaultMetrics({ register: running.metrics })
  const metricsServer = serveMetrics(running.metrics, {
    host: config.metricsHost,
    port: config.workerMetricsPort,
    log,
  })
  log.info('running')
  // Node writes its cache at an orderly exit only, and a killed process has none.
  flushCompileCache()

  let closingSince = 0
  const close = (signal: string) => {
    // One Ctrl-C can arrive twice: from the terminal and from npm, which forwards it.
    if (closingSince > 0) {
      if (Date.now() - closingSince > 1_000) process.exit(130)
      return
    }
    closingSince = Date.now()
    log.info({ signal }, 'closing')
    const { shutdownGraceSeconds } = config
    setTimeout(() => process.exit(0), (shutdownGraceSeconds + interruptSeconds + 5) * 1_000).unref()
    metricsServer.close()
    tellOfApplies(running, log, shutdownGraceSeconds)
    void running
      .stop()
      .then(async () => Promise.all([changes, store, sandbox, builds, bills].map(closeOne)))
      .then(() => process.exit(0))
  }
  process.on('SIGTERM', close)
  process.on('SIGINT', close)
  await running.finished
}

/**
 * Ends the process at a signal meanwhile. Nothing that has to be closed is open yet. Without a handler the signal
 * would have no effect on the first process of a container.
 */
async function untilMigrated({ platform }: Store, log: Logger): Promise<void> {
  const end = (signal: string) => {
    log.info({ signal }, 'closing')
    process.exit(0)
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
  await waitForSchema({ platform, log })
  process.off('SIGTERM', end)
  process.off('SIGINT', end)
}

/** One for each kind of work, so that none takes another's places. */
async function openSandboxes(config: Config, log: Logger) {
  // Two per plan: its policies are evaluated in a second workbench.
  const sandbox = await sandboxFor(config, log, {
    slots: config.tofuSlots * 2,
    programs: ['tofu', 'opa', 'sh'],
  })
  const bills = await createBillReader(config, { slots: config.billingSlots, log })
  const builds = await buildSandbox(config, log)
  return { sandbox, bills, builds }
}

const closeOne = async (part: { close(): Promise<void> }): Promise<void> => part.close()

/** Writes Temporal's warnings and errors to the worker's log. */
function forwardTemporalLogs(log: Logger): void {
  Runtime.install({
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
      // Expected: all workers but one have only activities.
      if (message.startsWith('No workflows registered')) return
      const { error, ...fields } = meta ?? {}
      log[level === 'ERROR' ? 'error' : 'warn']({ ...fields, err: error }, message)
    }),
    telemetryOptions: {
      logging: { filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }), forward: {} },
    },
  })
}

/** Reports running applies during a stop, so that the operator knows why the stop takes time. */
function tellOfApplies(running: RunningWorker, log: Logger, graceSeconds: number): void {
  const since = Date.now()
  const tell = () => {
    const left = Math.max(0, Math.round(graceSeconds - (Date.now() - since) / 1_000))
    const applies = running.inHand()
    if (applies > 0)
      log.warn(
        { applies },
        `let finish: ${applies} under way, interrupted in ${left} s; a second Ctrl-C ends it now`,
      )
  }
  // By then the running plans have been interrupted.
  setTimeout(tell, 3_000).unref()
  setInterval(tell, 20_000).unref()
}

async function tofuVersion({ tofuBin = 'tofu' }: Config): Promise<string> {
  const { stdout } = await promisify(execFile)(tofuBin, ['version', '-json'], {
    env: { CHECKPOINT_DISABLE: '1', PATH: '/usr/bin:/bin' },
  })
  const { terraform_version: version } = JSON.parse(stdout)
  if (typeof version !== 'string') throw new Error('tofu version -json has no terraform_version')
  return version
}

try {
  await main(readConfig())
} catch (error) {
  // Written to stderr: without a valid configuration there is no logger.
  process.stderr.write(`${error instanceof ConfigError ? error.message : String(error)}\n`)
  process.exit(1)
}
