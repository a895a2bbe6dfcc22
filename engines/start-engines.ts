import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve as absolute } from 'node:path'
import { createResolver, type Resolver } from './resolve-binary.ts'
import { tryLock } from './file-lock.ts'
import { freePorts } from './free-ports.ts'
import { createLeash } from './leash.ts'
import { makeDataDir } from './make-data-dir.ts'
import { sweepPidFiles } from './pid-file.ts'
import { newPassword, startPostgres } from './postgres.ts'
import { databasePasswordFile } from './postgres-home.ts'
import { secretFile } from './secret-file.ts'
import { startTemporal } from './temporal.ts'
import { temporalKeys } from './temporal-keys.ts'
import { startTemporalUi, uiSecretFile } from './temporal-ui.ts'
import type { Part } from './watch-part.ts'

export type EngineOptions = {
  dataDir: string
  cacheDir?: string | undefined
  say: (line: string) => void
  /** Whether to start Temporal beside PostgreSQL. Default true. */
  temporal?: boolean
  /** Whether to start Temporal's web UI, in the background. Default true. */
  ui?: boolean
  namespace?: string
  /** For tests: PostgreSQL does not flush to the disk, and `stop` kills Temporal. */
  throwaway?: boolean
  /** Cancels a start. */
  signal?: AbortSignal | undefined
  /** Finds the programs. The caller passes its own resolver if it needs other programs too. */
  resolve?: Resolver
}

export type Engines = {
  databaseUrl: string
  temporalAddress: string
  /** Settings of the API and the worker for the embedded Temporal: addresses, and paths of keys. */
  temporalEnv: Record<string, string>
  /** Whether the web UI was requested. Its start may still fail. */
  hasUi: boolean
  /** The running parts. Each restarts whenever it ends. */
  parts(): readonly Part[]
  /** Resolves when the UI is up, or when its start has failed and was reported. */
  uiSettled: Promise<void>
  stop(): Promise<void>
  /** Kills all parts, for a second Ctrl-C. */
  kill(): void
}

const portNames = [
  'postgres',
  'frontend',
  'frontendMembership',
  'history',
  'historyMembership',
  'matching',
  'matchingMembership',
  'worker',
  'workerMembership',
  'ui',
] as const

const owner = 'cloud_control'

/** Starts the embedded PostgreSQL and Temporal on a data directory, and keeps them running until `stop`. */
export async function startEngines(options: EngineOptions): Promise<Engines> {
  const dataDir = absolute(options.dataDir)
  const { say, throwaway = false, namespace = 'cloud-control' } = options
  makeDataDir(dataDir)
  const lock = tryLock(join(dataDir, 'engines.lock'))
  if (!lock) throw new Error(`the engines of ${dataDir} are running already, by another start`)

  const wantsTemporal = options.temporal !== false
  const wantsUi = wantsTemporal && options.ui !== false
  const started: Part[] = []
  const leash = createLeash()
  let stopping: Promise<void> | undefined
  // Two calls share one stop.
  const stopAll = (): Promise<void> => (stopping ??= stopParts())
  const stopParts = async () => {
    for (const part of started.splice(0).toReversed()) {
      // PostgreSQL stops quickly by SIGQUIT (postgres.ts). SIGKILL would leave its child processes behind.
      if (throwaway && part.name !== 'postgres') part.kill()
      await part.stop()
    }
    leash.close()
    lock.release()
  }

  try {
    await sweepPidFiles(join(dataDir, 'run'), say)
    const ports = await keptPorts(dataDir)
    const { cacheDir, signal } = options
    const common = { dataDir, leash, say, signal }
    const resolve = options.resolve ?? createResolver({ cacheDir, say, signal })
    // Downloads or builds while PostgreSQL starts.
    const server = wantsTemporal ? resolve('temporal-server') : undefined

    const postgres = await startPostgres({ ...common, port: ports.postgres, throwaway })
    started.push(postgres.part)
    const password = secretFile(join(dataDir, databasePasswordFile), newPassword)
    await postgres.ensureDatabase({ role: owner, database: owner, password, mayCreate: true })

    const temporalAddress = `127.0.0.1:${ports.frontend}`
    mkdirSync(join(dataDir, 'temporal'), { recursive: true, mode: 0o700 })
    const keys = temporalKeys(join(dataDir, 'temporal', 'tls'))
    if (server) {
      const sqlTool = () => resolve('temporal-sql-tool')
      started.push(
        await startTemporal({ ...common, postgres, ports, keys, namespace, server, sqlTool }),
      )
    }
    let stopped = false
    const startUi = async () => {
      const program = await resolve('temporal-ui-server')
      if (stopped) return
      const { ui: port } = ports
      started.push(
        await startTemporalUi({ ...common, program, port, temporalAddress, keys, namespace }),
      )
    }
    const uiSettled = (wantsUi ? startUi() : Promise.resolve()).catch((error: unknown) => {
      if (!stopped) say(`temporal-ui: left out, ${error instanceof Error ? error.message : ''}`)
    })

    return {
      databaseUrl: `postgres://${owner}:${password}@127.0.0.1:${ports.postgres}/${owner}`,
      temporalAddress,
      temporalEnv: {
        TEMPORAL_ADDRESS: temporalAddress,
        TEMPORAL_TLS_CA_FILE: keys.caFile,
        TEMPORAL_TLS_CERT_FILE: keys.client.certFile,
        TEMPORAL_TLS_KEY_FILE: keys.client.keyFile,
        TEMPORAL_TLS_SERVER_NAME: keys.server.serverName,
        ...(wantsUi && {
          CC_TEMPORAL_UI_UPSTREAM: `https://127.0.0.1:${ports.ui}`,
          CC_TEMPORAL_UI_SECRET_FILE: uiSecretFile(dataDir),
        }),
      },
      hasUi: wantsUi,
      parts: () => [...started],
      uiSettled,
      async stop() {
        stopped = true
        await stopAll()
      },
      kill() {
        stopped = true
        for (const part of started) part.kill()
      },
    }
  } catch (error) {
    await stopAll()
    throw error
  }
}

/** The last start's ports if they are free, so that bookmarks and open connections stay valid. */
async function keptPorts(dataDir: string): Promise<Record<(typeof portNames)[number], number>> {
  const file = join(dataDir, 'ports.json')
  let before: Partial<Record<string, number>> = {}
  try {
    // An earlier start wrote it, below.
    before = JSON.parse(readFileSync(file, 'utf8')) as Partial<Record<string, number>>
  } catch {
    // The first start has no file.
  }
  const ports = await freePorts(portNames, before)
  writeFileSync(file, `${JSON.stringify(ports, null, 2)}\n`, { mode: 0o600 })
  return ports
}
