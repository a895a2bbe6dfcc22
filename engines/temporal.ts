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
  /** The server, which may still be downloading or building. */
  server: Promise<string>
  sqlTool: () => Promise<string>
  leash: Leash
  say: (line: string) => void
  signal?: AbortSignal | undefined
}

const role = 'temporal'

/** Starts Temporal on the embedded PostgreSQL, creates the namespace, and keeps the server running. */
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
    // No authorizer: mutual TLS admits only this installation's clients, and each of them may do everything.
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

/** The TLS options of a client of the frontend. */
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

/** Without TEMPORAL_* variables: the server would read those of the operator's shell, meant for a client. */
function withoutTemporalSettings(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('TEMPORAL_'))
  return Object.fromEntries(kept)
}
