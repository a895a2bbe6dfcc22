import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readTemporalTls } from '../../../config/temporal-tls.ts'
import { readTemporalUi } from '../../../config/temporal-ui.ts'
import { temporalKeys, type TemporalKeys } from '../../../engines/temporal-keys.ts'
import { connectionOptions } from '../../../gateways/temporal/connection-options.ts'

describe('the settings of the connection to Temporal', () => {
  let folder: string
  let keys: TemporalKeys
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'cc-tls-'))
    keys = temporalKeys(join(folder, 'tls'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const read = (env: Record<string, string>) => {
    const faults: string[] = []
    return { tls: readTemporalTls(env, faults), faults }
  }

  test('each of them turns TLS on, and the SDK gets the contents of the named files', () => {
    expect(read({}).tls).toBeUndefined()
    expect(read({ TEMPORAL_TLS: 'true' }).tls).toBeDefined()
    expect(read({ TEMPORAL_API_KEY: 'x' }).tls).toBeDefined()
    const { tls, faults } = read({
      TEMPORAL_TLS_CA_FILE: keys.caFile,
      TEMPORAL_TLS_CERT_FILE: keys.client.certFile,
      TEMPORAL_TLS_KEY_FILE: keys.client.keyFile,
      TEMPORAL_TLS_SERVER_NAME: 'temporal.corp',
    })
    expect(faults).toEqual([])
    const options = connectionOptions({ temporal: { address: 'temporal:7233', tls } })
    expect(options.tls).toMatchObject({ serverNameOverride: 'temporal.corp' })
    expect(String(options.tls?.serverRootCACertificate)).toContain('BEGIN CERTIFICATE')
    expect(String(options.tls?.clientCertPair?.key)).toContain('PRIVATE KEY')
    // A printed configuration does not contain the key.
    expect(JSON.stringify(tls?.client?.key)).toBe('"[secret]"')
  })

  test('each error names its setting', () => {
    const broken = join(folder, 'broken.pem')
    writeFileSync(broken, 'no key')
    const faults = (env: Record<string, string>) => read(env).faults.join('; ')
    expect(faults({ TEMPORAL_TLS_CA_FILE: '/nonexistent' })).toContain('TEMPORAL_TLS_CA_FILE names')
    expect(faults({ TEMPORAL_TLS_CERT_FILE: keys.client.certFile })).toContain('set together')
    const pair = (certFile: string, keyFile: string) =>
      faults({ TEMPORAL_TLS_CERT_FILE: certFile, TEMPORAL_TLS_KEY_FILE: keyFile })
    for (const other of [keys.server.keyFile, broken])
      expect(pair(keys.client.certFile, other)).toContain('is not the key of the certificate')
    expect(faults({ TEMPORAL_TLS: 'false', TEMPORAL_TLS_SERVER_NAME: 'temporal.corp' })).toContain(
      'without use',
    )
  })

  test('the UI’s address must be that of a host, and its secret a file', () => {
    const faults: string[] = []
    for (const address of ['temporal-ui:8080', 'http://temporal-ui/path', 'ftp://x/'])
      readTemporalUi({ CC_TEMPORAL_UI_UPSTREAM: address }, faults)
    expect(faults).toHaveLength(3)
    const missing: string[] = []
    readTemporalUi(
      { CC_TEMPORAL_UI_UPSTREAM: 'http://ui:1', CC_TEMPORAL_UI_SECRET_FILE: '/nonexistent' },
      missing,
    )
    expect(missing).toEqual([expect.stringContaining('CC_TEMPORAL_UI_SECRET_FILE names')])
  })
})
