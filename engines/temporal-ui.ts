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

/** Where the API shows it (api/platform/temporal-ui.ts). */
const publicPath = '/temporal'

/** What the API sends with each request; made once, so that an API that is up stays so over a restart. */
export function uiSecretFile(dataDir: string): string {
  const folder = join(dataDir, 'temporal', 'ui')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, 'secret')
  secretFile(path, newPassword)
  return path
}

/**
 * Temporal's web UI, read-only, for the API alone. It can listen on TCP only, and takes everybody
 * there for welcome. So it has no key of Temporal's: behind it stands a gate (temporal-ui-gate.ts)
 * that lets the API's requests through. Whoever else asks gets the pages and no data.
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
    // So that the API never hands its secret to a program that took the port.
    uiServerTLS: { certFile: keys.server.certFile, keyFile: keys.server.keyFile },
    enableUi: true,
    defaultNamespace: options.namespace,
    disableWriteActions: true,
    // Neither telemetry nor news: an installation says nothing to the outside by itself.
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

/** A path of a socket has at most 107 bytes (unix(7)); a data directory may lie deeper. */
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
