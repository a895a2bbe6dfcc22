import { existsSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { createResolver } from '../../engines/resolve-binary.ts'
import { passwordFile } from '../../engines/postgres-home.ts'
import { secretFile } from '../../engines/secret-file.ts'
import { startEngines, type Engines } from '../../engines/start-engines.ts'
import type { StartSettings } from './read-start-settings.ts'

export type Sources = {
  engines: Engines | undefined
  /** Environment variables for the parts, added to the operator's. */
  env: NodeJS.ProcessEnv
}

type Options = {
  settings: StartSettings
  say: (line: string) => void
  signal: AbortSignal
  onEngines: (engines: Engines) => void
}

/** Prepares the programs, PostgreSQL, Temporal and the keyring for the API and the worker. */
export async function prepareSources(options: Options): Promise<Sources> {
  const { settings, say, signal } = options
  const { dataDir, cacheDir, embeds, namespace } = settings
  const keyring = embeds.keyring ? makeKeyring(dataDir) : undefined

  const binaries = { cacheDir, say, signal }
  const resolve = createResolver(binaries)
  // Requests all programs at once. The install queue builds two at a time, in the order of `binaries`.
  if (embeds.temporal) void resolve('temporal-server')
  const tofuFound = resolve('tofu')
  if (embeds.temporal) void resolve('temporal-sql-tool')
  const rest = Promise.all([tofuFound, resolve('opa')])
  // Awaited below. Before that, an unhandled rejection would end the process.
  rest.catch(() => undefined)

  let engines: Engines | undefined
  if (embeds.database || embeds.temporal) {
    engines = await startEngines({
      ...binaries,
      dataDir,
      temporal: embeds.temporal,
      namespace,
      resolve,
    })
    options.onEngines(engines)
  }
  const [tofu, opa] = await rest
  return {
    engines,
    env: {
      CC_TOFU_BIN: tofu,
      CC_OPA_BIN: opa,
      CC_DATA_DIR: dataDir,
      CC_HOST: settings.host,
      CC_PORT: String(settings.port),
      CC_SANDBOX: settings.sandbox,
      TEMPORAL_NAMESPACE: namespace,
      ...(keyring && { CC_KEYRING: `@${keyring}` }),
      ...(engines && embeds.database && { DATABASE_URL: engines.databaseUrl }),
      ...(engines && embeds.temporal && engines.temporalEnv),
    },
  }
}

/** Creates a keyring with one 256-bit key. Without it no secret in the store can be decrypted: back it up. */
function makeKeyring(dataDir: string): string {
  const path = join(dataDir, 'keyring')
  // A new key could not decrypt the existing secrets, and each use of one would fail later.
  if (!existsSync(path) && existsSync(join(dataDir, passwordFile)))
    throw new Error(
      `${path} is missing, and the store here is sealed with it: restore the file from a backup, or set CC_KEYRING`,
    )
  secretFile(path, () => {
    const id = `local-${randomBytes(4).toString('hex')}`
    return `${id}=${randomBytes(32).toString('base64')}`
  })
  return path
}
