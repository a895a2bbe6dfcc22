import { Connection, type ConnectionOptions, type TLSConfig } from '@temporalio/client'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { binaries } from './binaries.ts'
import { ensureNamespace } from './ensure-namespace.ts'
import type { Leash } from './leash.ts'
import { newPassword, type Postgres } from './postgres.ts'
import { secretFile } from './secret-file.ts'
import { temporalConfig, temporalDynamicConfig, type TemporalPorts } from './temporal-config.ts'
import type { TemporalKeys } from './temporal-keys.ts'
import { ensureTemporalSchema } from './temporal-schema.ts'
import { watchPart, type Part } from './watch-part.ts'

export type TemporalOptions = {
  dataDir: string
  postgres: Postgres
  ports: TemporalPorts
  keys: TemporalKeys
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
  const { dataDir, postgres, ports, keys } = options
  const folder = join(dataDir, 'temporal')
  const password = secretFile(join(folder, 'password'), newPassword)
  const program = await options.server
  await ensureTemporalSchema({ ...options, role, password, version: pinnedVersion() })

  const configFile = join(folder, 'config.yaml')
  const dynamicConfigFile = join(folder, 'dynamic-config.yaml')
  writeFileSync(dynamicConfigFile, temporalDynamicConfig(), { mode: 0o600 })
  writeFileSync(
    configFile,
    temporalConfig({ ports, postgresPort: postgres.port, role, password, dynamicConfigFile, keys }),
    { mode: 0o600 },
  )

  const connectOptions = { address: `127.0.0.1:${ports.frontend}`, tls: clientTls(keys) }
  const part = await watchPart({
    ...options,
    name: 'temporal',
    program,
    // Who has a certificate of this installation may do everything, so that there is nothing for an authorizer to tell apart.
    arguments: ['--config-file', configFile, '--allow-no-auth', 'start'],
    env: withoutTemporalSettings(),
    cwd: folder,
    probe: () => probe(connectOptions),
    readyTimeoutMs: 90_000,
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 15_000,
  })
  try {
    const connection = await Connection.connect({ ...connectOptions, connectTimeout: '10s' })
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

/** How a client of this installation connects to the frontend. */
function clientTls({ caFile, client, server }: TemporalKeys): TLSConfig {
  return {
    serverRootCACertificate: readFileSync(caFile),
    clientCertPair: { crt: readFileSync(client.certFile), key: readFileSync(client.keyFile) },
    serverNameOverride: server.serverName,
  }
}

async function probe(options: ConnectionOptions): Promise<void> {
  const connection = await Connection.connect({ ...options, connectTimeout: '2s' })
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
