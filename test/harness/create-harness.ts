import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, Connection } from '@temporalio/client'
import type { FastifyInstance } from 'fastify'
import pino, { type Logger } from 'pino'
import { inject } from 'vitest'
import { createApp } from '../../api/app.ts'
import type { Deps } from '../../api/deps.ts'
import { readConfig, Secret, type Config } from '../../config.ts'
import { ensureNamespace } from '../../engines/ensure-namespace.ts'
import { openArtifactStore } from '../../gateways/artifacts/open-artifact-store.ts'
import { databaseLogins, type DatabaseLogins } from '../../gateways/keyring/database-logins.ts'
import { createKeyring } from '../../gateways/keyring/keyring.ts'
import { createOutbound, type Outbound } from '../../gateways/outbound/outbound.ts'
import { createMailer, type Mail, type Mailer } from '../../gateways/mail/mailer.ts'
import { createPolicyCompiler } from '../../gateways/opa/create-policy-compiler.ts'
import { createFormatter } from '../../gateways/tofu/create-formatter.ts'
import { connectionOptions } from '../../gateways/temporal/connection-options.ts'
import { createEngineHealth } from '../../gateways/temporal/engine-health.ts'
import { connectOwner, connectStore } from '../../store/driver/connect.ts'
import { ensureLogins } from '../../store/ensure-logins.ts'
import { openChangeFeed } from '../../store/platform/change-feed.ts'
import { startMailRelay } from '../../worker/mail-relay.ts'
import { textOfDatabase, textOfHistories } from './written-by.ts'
import { startWorker, type TestWorker } from './start-worker.ts'
import { watchSecrets, type SecretWatch } from './secret-watch.ts'
import { createOrganization, type TestOrganization } from './test-organization.ts'
import { taskQueues } from '../../workflows/platform/contract.ts'

export type Harness = {
  app: FastifyInstance
  deps: Deps & { mail: Mailer }
  config: Config
  /** The settings with which another process connects to the same Temporal namespace. */
  temporalEnv: Record<string, string>
  /** All mails sent, newest last. */
  mails: Mail[]
  /** Waits until this address has more than `after` mails, and returns the newest. */
  mailTo(address: string, after?: number): Promise<Mail>
  /** Everything logged, as text, so that a test can search it for secrets. */
  logged: () => string
  worker: TestWorker | undefined
  /** Notes every secret that the tests use. `close` fails if one of them was written anywhere. */
  secrets: SecretWatch
  organization(): Promise<TestOrganization>
  close(): Promise<void>
}

export type HarnessOptions = {
  /** Runs plans and applies in this process, in a Temporal namespace of this file only. */
  worker?: boolean
  env?: Record<string, string>
  /** `real` sends over SMTP_URL or writes files; `unsent` leaves mails in the queue. */
  mail?: 'memory' | 'real' | 'unsent'
  /** Replaces the client for outgoing requests. */
  outbound?: (real: Outbound) => Outbound
}

/**
 * The real HTTP stack on a PostgreSQL database of this file only. With `worker`, also a real
 * Temporal worker and sandbox.
 */
export async function createHarness(options: HarnessOptions = {}): Promise<Harness> {
  const name = `t${randomBytes(6).toString('hex')}`
  const databaseUrl = await copyTemplate(name)
  const dataDir = mkdtempSync(join(tmpdir(), 'cc-harness-'))
  shareCompiledCode(dataDir)
  const port = await freePort()
  const env = {
    DATABASE_URL: databaseUrl,
    ...inject('temporalEnv'),
    TEMPORAL_NAMESPACE: name,
    CC_KEYRING: `test=${randomBytes(32).toString('base64')}`,
    CC_DATA_DIR: dataDir,
    CC_WORK_DIR: inject('workDir'),
    CC_BILLING_WORK_DIR: inject('billingWorkDir'),
    CC_BUILD_WORK_DIR: inject('billingWorkDir'),
    CC_PORT: String(port),
    CC_BASE_URL: `http://127.0.0.1:${port}`,
    CC_TOFU_BIN: inject('tofuBin'),
    CC_OPA_BIN: inject('opaBin'),
    CC_LOG_LEVEL: 'debug',
    CC_TOFU_SLOTS: '3',
    // Closing the harness does not wait for an apply that still sleeps.
    CC_SHUTDOWN_GRACE_SECONDS: '1',
    // All tests send from one address. Tests of the rate limits set their own limits.
    CC_RATE_LIMITS: 'token=1000000,scim=1000000,address=1000000',
    ...options.env,
  }
  const config = readConfig(env)
  const lines: string[] = []
  const log: Logger = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) })

  const logins = databaseLogins(config)
  await ensureLoginsOf(config)
  const store = connectStore(logins, 10, { isShared: true })
  const connection = Connection.lazy(connectionOptions(config))
  if (options.worker) await ensureNamespace(connection, name)
  const changes = openChangeFeed(logins)
  const mails: Mail[] = []
  const secrets = watchSecrets()
  noteConfig(secrets, config)
  const deps: Harness['deps'] = {
    mail:
      options.mail === 'real'
        ? createMailer(config, log)
        : { send: async (mail) => void mails.push(mail) },
    config,
    store,
    keyring: createKeyring(config.keyring),
    engine: createEngineHealth(connection, config.temporal.namespace, taskQueues),
    outbound: (options.outbound ?? ((real: Outbound) => real))(createOutbound(config)),
    artifacts: openArtifactStore(config),
    policies: createPolicyCompiler(config, log),
    formatter: createFormatter(config, log),
    changes,
    log,
  }
  const app = await createApp(deps)
  secrets.follow(app)
  await app.listen({ host: '127.0.0.1', port })
  const worker = options.worker ? await startWorker(deps, inject('workflowBundle')) : undefined
  // The worker sends mails. A file without a worker sends them by this relay.
  const mailRelay = worker || options.mail === 'unsent' ? undefined : startMailRelay(deps)

  return {
    app,
    deps,
    config,
    temporalEnv: Object.fromEntries(
      Object.entries(env).filter(([name]) => name.startsWith('TEMPORAL_')),
    ),
    mails,
    mailTo: async (address, after = 0) => waitForMail(mails, address, after),
    logged: () => lines.join(''),
    worker,
    secrets,
    organization: async () => createOrganization(app, deps),
    async close() {
      await worker?.stop()
      await mailRelay?.stop()
      await app.close()
      for (const mail of mails) secrets.noteMail(mail)
      secrets.wrote('the log', lines.join(''))
      for (const [table, text] of await textOfDatabase(store.platform))
        secrets.wrote(`the table ${table}`, text)
      if (worker)
        secrets.wrote(
          'the histories',
          await textOfHistories(new Client({ connection, namespace: name })),
        )
      await Promise.all([
        changes.close(),
        store.close(),
        deps.policies.close(),
        deps.formatter.close(),
        connection.close(),
      ])
      await dropDatabase(name, logins)
      rmSync(dataDir, { recursive: true, force: true })
      secrets.assertNoneWritten()
    },
  }
}

/**
 * Creates the login roles, as the API does at its start. Roles are global to the server, so their
 * names contain this database's name.
 */
async function ensureLoginsOf(config: Config): Promise<void> {
  const owner = connectOwner(config.databaseUrl)
  try {
    await ensureLogins(owner, databaseLogins(config))
  } finally {
    await owner.destroy()
  }
}

/** Otherwise the runners of each file compile all of their code anew. */
function shareCompiledCode(dataDir: string): void {
  const shared = join(inject('cacheDir'), 'runners')
  mkdirSync(shared, { recursive: true })
  symlinkSync(shared, join(dataDir, 'compiled'))
}

function noteConfig(secrets: SecretWatch, config: Config): void {
  const { databaseUrl, keyring, smtpUrl } = config
  for (const { made } of Object.values(databaseLogins(config)))
    if (made) secrets.note('a password of the database', made.password.reveal())
  for (const { key } of keyring) secrets.note('a key of the keyring', key.reveal())
  for (const url of [databaseUrl, smtpUrl])
    if (url) secrets.note('a password of a URL', decodeURIComponent(new URL(url.reveal()).password))
}

async function waitForMail(mails: Mail[], address: string, after: number): Promise<Mail> {
  const deadline = Date.now() + 20_000
  for (;;) {
    const found = mails.filter(({ to }) => to === address)
    const newest = found.at(-1)
    if (newest && found.length > after) return newest
    if (Date.now() > deadline) throw new Error(`${found.length} mails to ${address}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function copyTemplate(name: string): Promise<string> {
  const url = new URL(inject('templateUrl'))
  await asAdmin(async (run) => run(`create database ${name} template cc_template`))
  url.pathname = `/${name}`
  return url.href
}

const dropDatabase = (name: string, logins: DatabaseLogins) =>
  asAdmin(async (run) => {
    // By turns: `force` is refused where autovacuum is at work, which the other one ends.
    await run(`drop database if exists ${name} with (force)`, `drop database if exists ${name}`)
    for (const { made } of Object.values(logins))
      if (made) await run(`drop role if exists ${made.name}`)
  })

async function asAdmin(work: (run: (...forms: string[]) => Promise<void>) => Promise<void>) {
  const url = new URL(inject('templateUrl'))
  url.pathname = '/postgres'
  const admin = connectOwner(new Secret(url.href))
  try {
    await work(async (...forms) => {
      // The template database is busy while another test file copies it.
      for (let tries = 0; ; tries += 1)
        try {
          await admin.raw(forms[tries % forms.length] ?? '')
          return
        } catch (error) {
          if (tries > 50) throw error
          await new Promise((resolve) => setTimeout(resolve, 100))
        }
    })
  } finally {
    await admin.destroy()
  }
}

export async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      const port = typeof address === 'object' && address ? address.port : 0
      server.close(() => resolve(port))
    })
  })
}
