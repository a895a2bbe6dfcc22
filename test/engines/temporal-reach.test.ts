import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { connect, type ConnectionOptions } from 'node:tls'
import { Connection } from '@temporalio/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startEngines, type Engines } from '../../engines/start-engines.ts'
import { temporalKeys, type TemporalKeys } from '../../engines/temporal-keys.ts'

// What another user of the same host can do with the ports of an embedded Temporal.
describe('the ports of an embedded Temporal', { timeout: 120_000 }, () => {
  let dataDir: string
  let engines: Engines
  let ports: Record<string, number>
  let own: TemporalKeys
  let foreign: TemporalKeys
  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'cc-reach-'))
    chmodSync(dataDir, 0o711)
    engines = await startEngines({ dataDir, ui: false, throwaway: true, say: () => undefined })
    ports = JSON.parse(readFileSync(join(dataDir, 'ports.json'), 'utf8'))
    own = temporalKeys(join(dataDir, 'temporal', 'tls'))
    foreign = temporalKeys(join(dataDir, 'foreign'))
  })
  afterAll(async () => {
    await engines?.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  const services = ['frontend', 'history', 'matching', 'worker'] as const
  const listening = () => services.flatMap((name) => [name, `${name}Membership`])
  // Temporal's own worker serves no calls.
  const answering = () => listening().filter((name) => name !== 'worker')

  test('there are the services and their membership, and no HTTP port', () => {
    expect(Object.keys(ports).toSorted()).toEqual([...listening(), 'postgres', 'ui'].toSorted())
  })

  test('a client without a certificate, or with one of another installation, is refused', async () => {
    const clients: Record<string, ConnectionOptions> = {
      none: {},
      foreign: {
        cert: readFileSync(foreign.client.certFile),
        key: readFileSync(foreign.client.keyFile),
      },
    }
    for (const name of answering())
      for (const [what, options] of Object.entries(clients))
        expect(await handshake(ports[name] ?? 0, options), `${name}, ${what}`).toMatch(
          /alert (certificate required|bad certificate|unknown ca)/,
        )
  })

  test('each asks by TLS, with a certificate of this installation, and takes ours', async () => {
    const ours = {
      ca: readFileSync(own.caFile),
      cert: readFileSync(own.internode.certFile),
      key: readFileSync(own.internode.keyFile),
    }
    for (const name of answering()) {
      const servername = name === 'frontend' ? own.server.serverName : own.internode.serverName
      const options = { ...ours, servername, rejectUnauthorized: true }
      expect(await handshake(ports[name] ?? 0, options), name).toBe('open')
    }
  })

  test('the SDK without the keys can neither read nor end a run', async () => {
    const address = engines.temporalAddress
    for (const tls of [false, true])
      await expect(Connection.connect({ address, tls, connectTimeout: '3s' })).rejects.toThrow()
  })

  test.skipIf(userInfo().uid !== 0)('another user reads no key and gets no answer', () => {
    const as = (script: string) =>
      spawnSync('/bin/bash', ['-c', script], { uid: 65_534, gid: 65_534, encoding: 'utf8' })
    for (const file of [own.client.keyFile, own.server.keyFile, own.caFile])
      expect(as(`cat ${file}`).stderr).toContain('Permission denied')
    expect(as(`ls ${join(dataDir, 'temporal')}`).stderr).toContain('Permission denied')
    for (const name of answering()) {
      const asked = `exec 3<>/dev/tcp/127.0.0.1/${ports[name]}; printf 'GET / HTTP/1.1\r\nHost: x\r\n\r\n' >&3; timeout 2 cat <&3`
      // A TLS alert, or the words by which Go names the mistake.
      expect(as(asked).stdout, name).not.toMatch(/200 OK|temporal|namespace/i)
    }
  })
})

/** `open` where the server still listens after the handshake: TLS 1.3 refuses a certificate only then. */
function handshake(port: number, options: ConnectionOptions): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({
      host: '127.0.0.1',
      port,
      rejectUnauthorized: false,
      // gRPC takes nobody without it.
      ALPNProtocols: ['h2'],
      ...options,
    })
    const end = (what: string) => {
      socket.destroy()
      resolve(what)
    }
    socket.once('error', (error) => end(error.message))
    socket.once('close', () => end('closed'))
    socket.once('secureConnect', () => setTimeout(end, 500, 'open').unref())
    setTimeout(end, 5_000, 'no answer').unref()
    socket.resume()
  })
}
