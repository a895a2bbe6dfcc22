import { mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { Leash } from './leash.ts'
import type { TemporalKeys } from './temporal-keys.ts'
import { watchPart, type Part } from './watch-part.ts'

export type TemporalUiOptions = {
  dataDir: string
  program: string
  port: number
  temporalAddress: string
  keys: TemporalKeys
  namespace: string
  leash: Leash
  say: (line: string) => void
  signal?: AbortSignal | undefined
}

/** Temporal's web UI on 127.0.0.1, read-only: it knows neither organizations nor people, so it decides nothing. */
export async function startTemporalUi(options: TemporalUiOptions): Promise<Part> {
  const { dataDir, port, keys } = options
  const folder = join(dataDir, 'temporal', 'ui')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const origin = `http://127.0.0.1:${port}`
  const config = {
    temporalGrpcAddress: options.temporalAddress,
    tls: {
      caFile: keys.caFile,
      certFile: keys.client.certFile,
      keyFile: keys.client.keyFile,
      enableHostVerification: true,
      serverName: keys.server.serverName,
    },
    host: '127.0.0.1',
    port,
    enableUi: true,
    defaultNamespace: options.namespace,
    disableWriteActions: true,
    // Neither telemetry nor news: an installation says nothing to the outside by itself.
    disableNewsFetch: true,
    cors: { cookieInsecure: true, allowOrigins: [origin] },
  }
  writeFileSync(join(folder, 'cloud-control.yaml'), JSON.stringify(config, null, 2), {
    mode: 0o600,
  })
  return watchPart({
    ...options,
    name: 'temporal-ui',
    arguments: ['--root', folder, '--config', '.', '--env', 'cloud-control', 'start'],
    env: Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !name.startsWith('TEMPORAL_')),
    ),
    cwd: folder,
    probe: () => isListening(port),
    readyTimeoutMs: 30_000,
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 3_000,
  })
}

function isListening(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port })
    socket.once('connect', () => {
      socket.destroy()
      resolve()
    })
    socket.once('error', reject)
  })
}
