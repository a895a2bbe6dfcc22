import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve as absolute } from 'node:path'
import { createResolver, type Resolver } from './resolve-binary.ts'
import { tryLock } from './file-lock.ts'
import { freePorts } from './free-ports.ts'
import { createLeash } from './leash.ts'
import { makeDataDir } from './make-data-dir.ts'
import { sweepPidFiles } from './pid-file.ts'
import { newPassword, startPostgres } from './postgres.ts'
import { secretFile } from './secret-file.ts'
import { startTemporal } from './temporal.ts'
import { temporalKeys } from './temporal-keys.ts'
import { startTemporalUi, uiSecretFile } from './temporal-ui.ts'
import type { Part } from './watch-part.ts'

export type EngineOptions = {
  dataDir: string
  cacheDir?: string | undefined
  say: (line: string) => void
  /** Temporal on the embedded PostgreSQL; without it PostgreSQL alone. Default true. */
  temporal?: boolean
  /** Temporal's web UI. It follows in the background, since nothing waits for it. Default true. */
  ui?: boolean
  namespace?: string
  /** For tests: nothing is flushed to the disk, and `stop` kills. */
  throwaway?: boolean
  /** Ends a start that is under way. */
  signal?: AbortSignal | undefined
  /** Where the programs come from; shared with a caller that needs others of them. */
  resolve?: Resolver
}

export type Engines = {
  databaseUrl: string
  temporalAddress: string
  /** What the API and the worker are to be told of the embedded Temporal: addresses, and the files of their keys. */
  temporalEnv: Record<string, string>
  /** Whether the API has Temporal's web UI to show. */
  hasUi: boolean
  /** What runs now, each started again by itself when it dies. */
  parts(): readonly Part[]
  /** Settles when the UI is up, or has been given up (which is said). */
  uiSettled: Promise<void>
  stop(): Promise<void>
  /** At once, for a second Ctrl-C. */
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

/** Brings the embedded PostgreSQL and Temporal up on a data directory, and keeps them up until `stop`. */
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
  // Asked twice it is still done once.
  const stopAll = (): Promise<void> => (stopping ??= stopParts())
  const stopParts = async () => {
    for (const part of started.splice(0).toReversed()) {
      // PostgreSQL has a quick end of its own, which leaves none of its processes behind.
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
    // On its way while PostgreSQL starts.
    const server = wantsTemporal ? resolve('temporal-server') : undefined

    const postgres = await startPostgres({ ...common, port: ports.postgres, throwaway })
    started.push(postgres.part)
    const password = secretFile(join(dataDir, 'database.password'), newPassword)
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

/** The ports of the last start where they are free: bookmarks and open clients stay good. */
async function keptPorts(dataDir: string): Promise<Record<(typeof portNames)[number], number>> {
  const file = join(dataDir, 'ports.json')
  let before: Partial<Record<string, number>> = {}
  try {
    // Written below, by an earlier start.
    before = JSON.parse(readFileSync(file, 'utf8')) as Partial<Record<string, number>>
  } catch {
    // The first start.
  }
  const ports = await freePorts(portNames, before)
  writeFileSync(file, `${JSON.stringify(ports, null, 2)}\n`, { mode: 0o600 })
  return ports
}
