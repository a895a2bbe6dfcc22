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
  /** What the parts are started with, beside the operator's own environment. */
  env: NodeJS.ProcessEnv
}

type Options = {
  settings: StartSettings
  say: (line: string) => void
  signal: AbortSignal
  onEngines: (engines: Engines) => void
}

/** Brings up or finds everything that the API and the worker stand on. */
export async function prepareSources(options: Options): Promise<Sources> {
  const { settings, say, signal } = options
  const { dataDir, cacheDir, embeds, namespace } = settings
  const keyring = embeds.keyring ? makeKeyring(dataDir) : undefined

  const binaries = { cacheDir, say, signal }
  const resolve = createResolver(binaries)
  // All at once, in the order of `binaries`: two are built at a time, the longest first.
  if (embeds.temporal) void resolve('temporal-server')
  const tofuFound = resolve('tofu')
  if (embeds.temporal) void resolve('temporal-sql-tool')
  const rest = Promise.all([tofuFound, resolve('opa')])
  // Awaited below: until then a failure must not end the process.
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

/** One 256-bit key. To lose it is to lose every secret in the store: it is part of the backup. */
function makeKeyring(dataDir: string): string {
  const path = join(dataDir, 'keyring')
  // A new key would open nothing of what is there, and say so only when somebody needs it.
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
