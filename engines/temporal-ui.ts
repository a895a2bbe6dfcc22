import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Leash } from './leash.ts'
import { newPassword } from './postgres.ts'
import { secretFile } from './secret-file.ts'
import type { TemporalKeys } from './temporal-keys.ts'
import { openUiGate } from './temporal-ui-gate.ts'
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

/** The path at which the API serves the UI (api/platform/temporal-ui.ts). */
const publicPath = '/temporal'

/** The file of the API's secret. It is created once, so that a running API keeps its access. */
export function uiSecretFile(dataDir: string): string {
  const folder = join(dataDir, 'temporal', 'ui')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, 'secret')
  secretFile(path, newPassword)
  return path
}

/**
 * Starts Temporal's web UI, read-only and only for the API. Its server listens on TCP and authenticates
 * nobody, so it gets no client certificate for Temporal and connects to a proxy (temporal-ui-gate.ts),
 * which serves only the API's requests. Other users of the host get the pages without data.
 */
export async function startTemporalUi(options: TemporalUiOptions): Promise<Part> {
  const { dataDir, port, keys } = options
  const folder = join(dataDir, 'temporal', 'ui')
  const secret = secretFile(uiSecretFile(dataDir), newPassword)
  const { socket, remove } = socketIn(folder)
  const gate = await openUiGate({ ...options, socket, secret })
  const close = () => {
    gate.close()
    remove()
  }
  const config = {
    temporalGrpcAddress: `unix://${socket}`,
    host: '127.0.0.1',
    port,
    publicPath,
    // By the certificate the API detects another program on this port, and does not send it the secret.
    uiServerTLS: { certFile: keys.server.certFile, keyFile: keys.server.keyFile },
    enableUi: true,
    defaultNamespace: options.namespace,
    disableWriteActions: true,
    // The UI must not contact Temporal's web site.
    disableNewsFetch: true,
  }
  writeFileSync(join(folder, 'cloud-control.yaml'), JSON.stringify(config, null, 2), {
    mode: 0o600,
  })
  try {
    const part = await watchPart({
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
    return {
      ...part,
      stop: () => part.stop().finally(close),
      kill() {
        part.kill()
        close()
      },
    }
  } catch (error) {
    close()
    throw error
  }
}

/** A socket's path has at most 107 bytes (unix(7)). In a deeper data directory a temporary folder is used. */
function socketIn(folder: string): { socket: string; remove: () => void } {
  const socket = join(folder, 'gate.sock')
  if (Buffer.byteLength(socket) <= 107)
    return { socket, remove: () => rmSync(socket, { force: true }) }
  const short = mkdtempSync(join(tmpdir(), 'cc-ui-'))
  return {
    socket: join(short, 'gate.sock'),
    remove: () => rmSync(short, { recursive: true, force: true }),
  }
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
