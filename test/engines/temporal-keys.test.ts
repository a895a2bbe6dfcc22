import { createPrivateKey, X509Certificate } from 'node:crypto'
import { chmodSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { temporalKeys } from '../../engines/temporal-keys.ts'

const yearMs = 365 * 86_400_000

describe('the keys of an embedded Temporal', () => {
  let parent: string
  let folder: string
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'cc-keys-'))
    folder = join(parent, 'tls')
  })
  afterEach(() => rmSync(parent, { recursive: true, force: true }))

  test('are the owner’s alone, issued by an authority whose key is nowhere', () => {
    const { caFile, server, internode, client } = temporalKeys(folder)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    for (const name of readdirSync(folder))
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
    expect(readdirSync(parent)).toEqual(['tls'])

    const authority = new X509Certificate(readFileSync(caFile))
    expect(authority.ca).toBe(true)
    for (const pair of [server, internode, client]) {
      const certificate = new X509Certificate(readFileSync(pair.certFile))
      expect(certificate.ca).toBe(false)
      expect(certificate.checkIssued(authority)).toBe(true)
      expect(certificate.verify(authority.publicKey)).toBe(true)
    }
    for (const name of readdirSync(folder).filter((name) => name.endsWith('.key')))
      expect(authority.checkPrivateKey(createPrivateKey(readFileSync(join(folder, name))))).toBe(
        false,
      )
    expect(new X509Certificate(readFileSync(server.certFile)).checkHost(server.serverName)).toBe(
      server.serverName,
    )
  })

  test('stay over starts, and are made anew before they end', () => {
    const first = readFileSync(temporalKeys(folder).client.certFile, 'utf8')
    const now = Date.now()
    const at = (years: number) =>
      readFileSync(temporalKeys(folder, new Date(now + years * yearMs)).client.certFile, 'utf8')
    expect(at(0)).toBe(first)
    expect(at(7.9)).toBe(first)
    expect(at(8.1)).not.toBe(first)
  })

  test('that were made while the clock was ahead are made anew once it is right', () => {
    const ahead = new Date(Date.now() + 3 * 86_400_000)
    const first = readFileSync(temporalKeys(folder, ahead).client.certFile, 'utf8')
    expect(readFileSync(temporalKeys(folder, ahead).client.certFile, 'utf8')).toBe(first)
    expect(readFileSync(temporalKeys(folder).client.certFile, 'utf8')).not.toBe(first)
  })

  test.each([
    ['a key that others can read', (path: string) => chmodSync(join(path, 'client.key'), 0o640)],
    ['a folder that others can enter', (path: string) => chmodSync(path, 0o755)],
    ['a key that is gone', (path: string) => rmSync(join(path, 'server.key'))],
    ['half a file', (path: string) => writeFileSync(join(path, 'ca.pem'), '-----BEGIN')],
    [
      'a certificate of another authority',
      (path: string) => {
        const other = temporalKeys(`${path}-other`)
        for (const name of ['client.pem', 'client.key'])
          writeFileSync(join(path, name), readFileSync(join(other.caFile, '..', name)))
      },
    ],
  ])('are made anew, all of them, after %s', (_what, spoil) => {
    const before = readFileSync(temporalKeys(folder).internode.certFile, 'utf8')
    spoil(folder)
    const { internode } = temporalKeys(folder)
    expect(readFileSync(internode.certFile, 'utf8')).not.toBe(before)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
  })
})
