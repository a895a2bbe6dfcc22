import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { promisify } from 'node:util'
import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker'
import pino, { type Logger } from 'pino'
import { collectDefaultMetrics } from 'prom-client'
import { ConfigError, readConfig, type Config } from '../config.ts'
import { databaseLogins } from '../gateways/keyring/database-logins.ts'
import { createKeyring } from '../gateways/keyring/keyring.ts'
import { createOutbound } from '../gateways/outbound/outbound.ts'
import { serveMetrics } from '../gateways/metrics/serve-metrics.ts'
import { createMailer } from '../gateways/mail/mailer.ts'
import { sandboxFor } from '../gateways/sandbox/sandbox-for.ts'
import { connectStore } from '../store/driver/connect.ts'
import { openChangeFeed } from '../store/platform/change-feed.ts'
import { makeWorkflowBundle } from './make-workflow-bundle.ts'
import { createWorker, interruptSeconds, type RunningWorker } from './create-worker.ts'

/** The worker process: reads the configuration, connects, runs until it is told to stop. */
async function main(config: Config): Promise<void> {
  const log = pino({ level: config.logLevel, base: { part: 'worker' } })
  forwardTemporalLogs(log)
  const logins = databaseLogins(config)
  const store = connectStore(logins, config.databasePoolSize)
  const changes = openChangeFeed(logins)
  // A plan holds a workbench of its own while its policies are judged in another.
  const sandbox = await sandboxFor(config, log, {
    slots: config.tofuSlots * 2,
    programs: ['tofu', 'opa', 'sh'],
  })
  for (const note of sandbox.notes) log.warn({ sandbox: sandbox.kind }, note)

  const running = await createWorker({
    config,
    store,
    keyring: createKeyring(config.keyring),
    outbound: createOutbound(config),
    sandbox,
    mail: createMailer(config, log),
    changes,
    log,
    name: `${hostname()}:${process.pid}`,
    engineVersion: await tofuVersion(config),
    cliConfig: config.tofuCliConfig && (await readFile(config.tofuCliConfig, 'utf8')),
    workflowBundle: await makeWorkflowBundle(),
  })
  collectDefaultMetrics({ register: running.metrics })
  const metricsServer = serveMetrics(running.metrics, {
    host: config.metricsHost,
    port: config.workerMetricsPort,
    log,
  })
  log.info('running')

  let closingSince = 0
  const close = (signal: string) => {
    // One Ctrl-C may come twice: from the terminal and, passed on, from npm.
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
      .then(async () => Promise.all([changes.close(), store.close(), sandbox.close()]))
      .then(() => process.exit(0))
  }
  process.on('SIGTERM', close)
  process.on('SIGINT', close)
  await running.finished
}

/** Temporal's own warnings and errors, as lines of ours. */
function forwardTemporalLogs(log: Logger): void {
  Runtime.install({
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
      // The tofu queue's worker has none, and that is as it should be.
      if (message.startsWith('No workflows registered')) return
      const { error, ...fields } = meta ?? {}
      log[level === 'ERROR' ? 'error' : 'warn']({ ...fields, err: error }, message)
    }),
    telemetryOptions: {
      logging: { filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }), forward: {} },
    },
  })
}

/** Whoever stops the service sees why it takes its time. */
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
  // Plans are over by then.
  setTimeout(tell, 3_000).unref()
  setInterval(tell, 20_000).unref()
}

async function tofuVersion({ tofuBin = 'tofu' }: Config): Promise<string> {
  const { stdout } = await promisify(execFile)(tofuBin, ['version', '-json'], {
    env: { CHECKPOINT_DISABLE: '1', PATH: '/usr/bin:/bin' },
  })
  const { terraform_version: version } = JSON.parse(stdout)
  if (typeof version !== 'string') throw new Error('tofu does not tell its version')
  return version
}

try {
  await main(readConfig())
} catch (error) {
  // The one place that speaks to a terminal: whoever started this must see why it did not run.
  process.stderr.write(`${error instanceof ConfigError ? error.message : String(error)}\n`)
  process.exit(1)
}
