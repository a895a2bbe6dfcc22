import { Connection } from '@temporalio/client'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { binaries } from './binaries.ts'
import { ensureNamespace } from './ensure-namespace.ts'
import type { Leash } from './leash.ts'
import { newPassword, type Postgres } from './postgres.ts'
import { secretFile } from './secret-file.ts'
import { temporalConfig, temporalDynamicConfig, type TemporalPorts } from './temporal-config.ts'
import { ensureTemporalSchema } from './temporal-schema.ts'
import { watchPart, type Part } from './watch-part.ts'

export type TemporalOptions = {
  dataDir: string
  postgres: Postgres
  ports: TemporalPorts
  namespace: string
  /** The two programs, already on their way. */
  server: Promise<string>
  sqlTool: () => Promise<string>
  leash: Leash
  say: (line: string) => void
  signal?: AbortSignal | undefined
}

const role = 'temporal'

/** Starts the real Temporal server on the embedded PostgreSQL, its namespace usable, and keeps it running. */
export async function startTemporal(options: TemporalOptions): Promise<Part> {
  const { dataDir, postgres, ports } = options
  const folder = join(dataDir, 'temporal')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const password = secretFile(join(folder, 'password'), newPassword)
  const program = await options.server
  await ensureTemporalSchema({ ...options, role, password, version: pinnedVersion() })

  const configFile = join(folder, 'config.yaml')
  const dynamicConfigFile = join(folder, 'dynamic-config.yaml')
  writeFileSync(dynamicConfigFile, temporalDynamicConfig(), { mode: 0o600 })
  writeFileSync(
    configFile,
    temporalConfig({ ports, postgresPort: postgres.port, role, password, dynamicConfigFile }),
    { mode: 0o600 },
  )

  const address = `127.0.0.1:${ports.frontend}`
  const part = await watchPart({
    ...options,
    name: 'temporal',
    program,
    // It listens on 127.0.0.1 alone, where nobody could be told apart; a cluster has its own authorizer.
    arguments: ['--config-file', configFile, '--allow-no-auth', 'start'],
    env: withoutTemporalSettings(),
    cwd: folder,
    probe: () => probe(address),
    readyTimeoutMs: 90_000,
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 15_000,
  })
  try {
    const connection = await Connection.connect({ address, connectTimeout: '10s' })
    try {
      await ensureNamespace(connection, options.namespace)
    } finally {
      await connection.close()
    }
  } catch (error) {
    await part.stop()
    throw error
  }
  return part
}

async function probe(address: string): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: '2s' })
  try {
    await connection.withDeadline(Date.now() + 2_000, () =>
      connection.workflowService.getSystemInfo({}),
    )
  } finally {
    await connection.close()
  }
}

function pinnedVersion(): string {
  return binaries.find((binary) => binary.name === 'temporal-server')?.version ?? ''
}

/** The server reads many variables of its own; those of the operator's shell are meant for a client. */
function withoutTemporalSettings(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('TEMPORAL_'))
  return Object.fromEntries(kept)
}
