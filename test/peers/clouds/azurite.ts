import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  AccountSASPermissions,
  AccountSASResourceTypes,
  AccountSASServices,
  generateAccountSASQueryParameters,
  StorageSharedKeyCredential,
} from '@azure/storage-blob'
import { createOutbound, type Outbound } from '../../../gateways/outbound/outbound.ts'
import { makeAuthority } from '../../../gateways/x509/make-authority.ts'
import { freePort } from '../../harness/create-harness.ts'
import { npmTools } from '../npm-tools.ts'
import { startServer } from '../start-server.ts'

const hour = 3_600_000

/** Azurite 3.37.0, Microsoft's own stand-in for Azure Storage, over https; it looks into tokens of Entra. */
export type Azurite = {
  port: number
  /** The account's address: Azurite has the account in the path. */
  origin: string
  account: string
  key: string
  certificates: string
  /** Outgoing calls that trust its certificate and may reach these ports of this machine. */
  outbound(ports: readonly number[]): Outbound
  /** A token of the account for these rights, until this time. */
  sas(rights: string, until?: Date): string
  /** Stores a blob by such a token. */
  put(path: string, body: Buffer): Promise<void>
  stop(): Promise<void>
}

export async function startAzurite(): Promise<Azurite> {
  const modules = await npmTools('azurite', ['azurite@3.37.0'])
  const folder = mkdtempSync(join(tmpdir(), 'azurite-'))
  const place = (name: string) => join(folder, name)
  const validity = {
    notBefore: new Date(Date.now() - hour),
    notAfter: new Date(Date.now() + 24 * hour),
  }
  const authority = makeAuthority('test of azurite', validity)
  const own = { commonName: 'localhost', dnsNames: ['localhost'], usages: ['server'] as const }
  const { key: tlsKey, certificate } = authority.issue(own)
  writeFileSync(place('ca.pem'), authority.certificate)
  writeFileSync(place('cert.pem'), certificate)
  writeFileSync(place('key.pem'), tlsKey)

  const [account, key] = ['bills', randomBytes(64).toString('base64')]
  const port = await freePort()
  const server = await startServer(
    [
      process.execPath,
      join(modules, 'azurite/dist/src/blob/main.js'),
      ...'--blobHost 127.0.0.1 --silent --inMemoryPersistence --skipApiVersionCheck'.split(' '),
      ...`--disableTelemetry --oauth basic --blobPort ${port}`.split(' '),
      '--cert',
      place('cert.pem'),
      '--key',
      place('key.pem'),
    ],
    { port, env: { AZURITE_ACCOUNTS: `${account}:${key}` } },
  )
  const outbound = (ports: readonly number[]) =>
    createOutbound({
      extraCaFile: place('ca.pem'),
      privateHosts: [port, ...ports].flatMap((open) =>
        (['cloud', 'billing'] as const).flatMap((use) =>
          ['localhost', '127.0.0.1'].map((host) => ({ use, host, port: open })),
        ),
      ),
      lookup: async () => [{ address: '127.0.0.1', family: 4 }],
    })
  const origin = `https://localhost:${port}/${account}`
  const sas: Azurite['sas'] = (rights, until = new Date(Date.now() + hour)) =>
    generateAccountSASQueryParameters(
      {
        services: AccountSASServices.parse('b').toString(),
        resourceTypes: AccountSASResourceTypes.parse('sco').toString(),
        permissions: AccountSASPermissions.parse(rights),
        startsOn: new Date(Date.now() - 2 * hour),
        expiresOn: until,
      },
      new StorageSharedKeyCredential(account, key),
    ).toString()
  const kept = outbound([]).keep()
  const send = async (path: string, headers: Record<string, string>, body: Buffer) => {
    const url = `${origin}/${path.split('/').map(encodeURIComponent).join('/')}`
    const join = headers['x-ms-blob-type'] ? '?' : '?restype=container&'
    const sent = await kept.request(`${url}${join}${sas('rwlac')}`, {
      use: 'billing',
      method: 'PUT',
      headers: { 'x-ms-version': '2025-05-05', ...headers },
      body,
    })
    if (sent.status !== 201)
      throw new Error(`not put: ${path}: ${sent.status} ${sent.body.toString()}`)
  }
  await send('exports', {}, Buffer.alloc(0))
  return {
    port,
    origin,
    account,
    key,
    certificates: place('ca.pem'),
    outbound,
    sas,
    put: async (path, body) => send(`exports/${path}`, { 'x-ms-blob-type': 'BlockBlob' }, body),
    async stop() {
      kept.close()
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A token as Entra's. Azurite reads what it says, and does not know Entra's keys. */
export function entraToken(of: { tenant: string; audience: string; expiresAt?: Date }): string {
  const seconds = (time: number) => Math.floor(time / 1_000)
  const { tenant, audience, expiresAt = new Date(Date.now() + hour) } = of
  const claims = {
    iss: `https://sts.windows.net/${tenant}/`,
    aud: audience,
    iat: seconds(Date.now() - 2 * hour),
    nbf: seconds(Date.now() - 2 * hour),
    exp: seconds(expiresAt.getTime()),
    oid: '23657296-5cd5-45b0-a809-d972a7f4dfe1',
    tid: tenant,
    ver: '1.0',
  }
  const part = (fields: object) => Buffer.from(JSON.stringify(fields)).toString('base64url')
  return `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}.${Buffer.from('unknown').toString('base64url')}`
}
