import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Connection } from '@temporalio/client'
import { readConfig, type Config } from '../config.ts'
import { createLeash } from '../engines/leash.ts'
import { expectAnswer } from '../engines/expect-answer.ts'
import { freePorts } from '../engines/free-ports.ts'
import { resolveBinary } from '../engines/resolve-binary.ts'
import { startEngines } from '../engines/start-engines.ts'
import { databaseLogins } from '../gateways/keyring/database-logins.ts'
import { connectionOptions } from '../gateways/temporal/connection-options.ts'
import { diskFolderFor } from '../gateways/sandbox/disk-folder-for.ts'
import { removeWorkDir } from '../gateways/sandbox/remove-work-dir.ts'
import { workFolderFor } from '../gateways/sandbox/work-folder-for.ts'
import { buildService } from '../scripts/start/build-service.ts'
import { startNodePart } from '../scripts/start/start-node-part.ts'
import { connectStore, type Store } from '../store/driver/connect.ts'
import { openChangeFeed, type ChangeFeed } from '../store/platform/change-feed.ts'
import { benchConfig } from './config.ts'
import { signIn, type CallApi } from './call-api.ts'

export type Platform = {
  /** Signed in as the Owner of an otherwise empty organization. */
  call: CallApi
  /** The Owner's session as a cookie header. */
  cookie: () => string
  /** The base address of the API's paths. */
  address: string
  tofu: string
  /** For reading what the API does not show. Nothing is written through it. */
  store: Store
  config: Config
  changes: ChangeFeed
  engine: { connection: Connection; namespace: string }
  /** The process id of each part. */
  pids(): Record<string, number>
  stop(): Promise<void>
}

const namespace = 'cloud-control'
const email = 'owner@demo.example'

/**
 * Starts the parts of `npm start` on a temporary data directory. The database flushes to disk as it
 * does there.
 */
export async function startPlatform(
  say: (line: string) => void,
  more: NodeJS.ProcessEnv = {},
): Promise<Platform> {
  const dataDir = mkdtempSync(join(tmpdir(), 'cc-bench-'))
  // As root, PostgreSQL runs as another user, who must be able to enter this folder.
  chmodSync(dataDir, 0o711)
  const closing: Array<() => unknown> = [
    () => rmSync(dataDir, { recursive: true, force: true }),
    () => removeWorkDir(workFolderFor(dataDir)),
    () => removeWorkDir(diskFolderFor(dataDir)),
  ]
  const stop = async () => {
    for (const close of closing.splice(0).toReversed()) await close()
  }
  process.once('SIGINT', () => void stop().finally(() => process.exit(130)))
  try {
    const tofu = await resolveBinary('tofu', { say })
    const opa = await resolveBinary('opa', { say })
    const engines = await startEngines({ dataDir, ui: false, namespace, say })
    closing.push(() => engines.stop())

    const password = randomBytes(15).toString('base64url')
    const { api: port } = await freePorts(['api'])
    const address = `http://127.0.0.1:${port}`
    const env: NodeJS.ProcessEnv = {
      PATH: benchConfig.path,
      // For profiling: --cpu-prof, or a module to import.
      NODE_OPTIONS: benchConfig.nodeOptions,
      CC_DATA_DIR: dataDir,
      CC_PORT: String(port),
      CC_METRICS_PORT: '0',
      CC_WORKER_METRICS_PORT: '0',
      CC_BASE_URL: address,
      CC_KEYRING: `bench=${randomBytes(32).toString('base64')}`,
      CC_TOFU_BIN: tofu,
      CC_OPA_BIN: opa,
      // High limits, because one session sends requests as fast as it can.
      CC_RATE_LIMITS: 'token=100000000,address=100000000',
      CC_BOOTSTRAP_EMAIL: email,
      CC_BOOTSTRAP_PASSWORD: password,
      DATABASE_URL: engines.databaseUrl,
      ...engines.temporalEnv,
      TEMPORAL_NAMESPACE: namespace,
      ...more,
    }
    const leash = createLeash()
    closing.push(() => leash.close())
    const { signal } = new AbortController()
    const root = join(import.meta.dirname, '..')
    const scriptOf = await buildService({ root, say, signal }, dataDir)
    const common = { root, dataDir, env, leash, say, signal }
    const api = await startNodePart({ ...common, name: 'api', script: scriptOf('api'), address })
    closing.push(() => api.stop())
    const worker = await startNodePart({ ...common, name: 'worker', script: scriptOf('worker') })
    closing.push(() => worker.stop())
    await expectAnswer(`${address}/readyz`)

    const config = readConfig(env)
    const logins = databaseLogins(config)
    const store = connectStore(logins, 2)
    const changes = openChangeFeed(logins)
    const connection = await Connection.connect(connectionOptions(config))
    closing.push(() => Promise.all([store.close(), changes.close(), connection.close()]))
    const { call, cookie } = await signIn(address, { email, password })
    return {
      call,
      cookie,
      address: `${address}/api`,
      tofu,
      store,
      config,
      changes,
      engine: { connection, namespace },
      pids: () =>
        Object.fromEntries(
          [...engines.parts(), api, worker].map((part) => [part.name, part.pid() ?? 0]),
        ),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}
