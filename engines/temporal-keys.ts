import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeAuthority } from '../gateways/x509/make-authority.ts'

export type KeyPair = { certFile: string; keyFile: string }

export type TemporalKeys = {
  caFile: string
  /** For the frontend and the web UI. */
  server: KeyPair & { serverName: string }
  /** For connections between the services, as client and as server. */
  internode: KeyPair & { serverName: string }
  /** For the API, the worker and this supervisor. */
  client: KeyPair
}

const yearMs = 365 * 86_400_000
const validForMs = 10 * yearMs
/** A start makes new keys if less is left, since a service may run this long without a restart. */
const renewBeforeMs = 2 * yearMs
const serverName = 'temporal.cloud-control.internal'
const internodeName = 'internode.temporal.cloud-control.internal'

/**
 * The keys and certificates for mutual TLS of the embedded Temporal. They stop other users of the host,
 * who can connect to 127.0.0.1: only the owner of this folder can read the keys. A start makes all keys
 * anew if one is missing, invalid, readable by others, or near its end.
 */
export function temporalKeys(folder: string, now = new Date()): TemporalKeys {
  const keys = pathsIn(folder)
  if (!areSound(folder, keys, now)) make(folder, now)
  return keys
}

function pathsIn(folder: string): TemporalKeys {
  const pair = (name: string): KeyPair => ({
    certFile: join(folder, `${name}.pem`),
    keyFile: join(folder, `${name}.key`),
  })
  return {
    caFile: join(folder, 'ca.pem'),
    server: { ...pair('server'), serverName },
    internode: { ...pair('internode'), serverName: internodeName },
    client: pair('client'),
  }
}

function areSound(folder: string, keys: TemporalKeys, now: Date): boolean {
  try {
    if (!isPrivate(folder)) return false
    const authority = new X509Certificate(readFileSync(keys.caFile))
    return [keys.server, keys.internode, keys.client].every(({ certFile, keyFile }) => {
      const certificate = new X509Certificate(readFileSync(certFile))
      return (
        isPrivate(keyFile) &&
        certificate.verify(authority.publicKey) &&
        certificate.checkPrivateKey(createPrivateKey(readFileSync(keyFile))) &&
        // Keys made while the clock was ahead are not valid yet.
        certificate.validFromDate <= now &&
        certificate.validToDate.getTime() - now.getTime() > renewBeforeMs
      )
    })
  } catch {
    return false
  }
}

/** Whether only the current user can read the path. A user who could read a key may have a copy of it. */
const isPrivate = (path: string): boolean => {
  const { mode, uid } = statSync(path)
  return (mode & 0o077) === 0 && uid === process.getuid?.()
}

/** Atomic: a start that is killed here leaves the old folder, or none. */
function make(folder: string, now: Date): void {
  const unfinished = `${folder}.${randomBytes(6).toString('hex')}`
  mkdirSync(unfinished, { mode: 0o700 })
  const authority = makeAuthority('cloud-control embedded Temporal', {
    // Tolerates a clock that is later set back by up to a day.
    notBefore: new Date(now.getTime() - 86_400_000),
    notAfter: new Date(now.getTime() + validForMs),
  })
  const write = (path: string, text: string) =>
    writeFileSync(path, text, { flag: 'wx', mode: 0o600, flush: true })
  const keys = pathsIn(unfinished)
  write(keys.caFile, authority.certificate)
  for (const [commonName, pair, subject] of [
    ['frontend', keys.server, { dnsNames: [serverName], usages: ['server'] }],
    ['internode', keys.internode, { dnsNames: [internodeName], usages: ['server', 'client'] }],
    ['client', keys.client, { dnsNames: [], usages: ['client'] }],
  ] as const) {
    const { key, certificate } = authority.issue({ commonName, ...subject })
    write(pair.certFile, certificate)
    write(pair.keyFile, key)
  }
  rmSync(folder, { recursive: true, force: true })
  renameSync(unfinished, folder)
}
