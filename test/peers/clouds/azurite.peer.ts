import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { BillFile, Bills, FoundSlice } from '../../../gateways/clouds/cloud.ts'
import { openedClouds } from '../../harness/clouds/opened-clouds.ts'
import {
  type ScriptedAzure,
  startScriptedAzure,
  subscription,
  tenant,
} from '../../harness/clouds/scripted-azure.ts'
import { cuttableLink } from '../../harness/cuttable-link.ts'
import { type Azurite, entraToken, startAzurite } from './azurite.ts'

// Each test has its own time: the server of some is built first.
let signal: AbortSignal
beforeEach(() => {
  signal = AbortSignal.timeout(240_000)
})
const clientId = '11111111-2222-3333-4444-555555555555'
const credentials = { tenantId: tenant, clientId, clientSecret: 'the-client-secret' }
const month = 'costs/focus/20261001-20261031'
const run = (n: number) => `${month}/00000000-0000-4000-8000-00000000000${n}`
/** More than one piece that is written at once, and no end of one. */
const large = randomBytes(9_000_001)
const odd = "part ü & 1+2 #3 100% '(4)' ;=,.csv"

// Storage by Microsoft's own emulator: what a blob, a list, a range and a refusal look like is its word.
describe('the bill of an Azure account, by Azurite', () => {
  let azurite: Azurite
  let azure: ScriptedAzure
  const folder = mkdtempSync(join(tmpdir(), 'bills-'))
  const put = async (root: string, files: Record<string, Buffer>) => {
    const blobs = []
    for (const [name, body] of Object.entries(files)) {
      await azurite.put(`${root}/${name}`, body)
      blobs.push({ blobName: `${root}/${name}`, byteCount: body.length, dataRowCount: 10 })
    }
    const exportConfig = { exportName: 'focus', type: 'FocusCost', dataVersion: '1.0' }
    const manifest = { blobCount: blobs.length, dataRowCount: 20, exportConfig, blobs }
    await azurite.put(`${root}/manifest.json`, Buffer.from(`\uFEFF${JSON.stringify(manifest)}`))
  }
  beforeAll(async () => {
    azurite = await startAzurite()
    azure = await startScriptedAzure()
    await put(run(1), { 'part_0.parquet': Buffer.from('old') })
    await put(run(2), {
      'part_0.parquet': large,
      [odd]: Buffer.from('odd'),
      empty: Buffer.alloc(0),
    })
    await put('costs/focus/20260901-20260930/1', { 'part_0.parquet': Buffer.from('september') })
    await azurite.put('other/20261001-20261031/1/manifest.json', Buffer.from('{}'))
    // Past one page of a list.
    for (let n = 0; n < 510; n += 1) await azurite.put(`${run(1)}/more/${n}`, Buffer.from('x'))
  }, 600_000)
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true })
    await azure?.cloud.stop()
    await azurite?.stop()
  })

  const open = openedClouds({ provider: 'azure', accountId: subscription, credentials })
  /** `issue`: the token for the scope that is asked for. */
  const billsOf = async (
    more: { billing?: object; storage?: string; port?: number } = {},
    issue = (audience: string) => entraToken({ tenant, audience }),
  ): Promise<Bills> => {
    azure.handlers.token = ({ body }) => {
      const scope = new URLSearchParams(body).get('scope')?.split(' ')[0] ?? ''
      const access_token = issue(scope.replace(/\/\.default$/, ''))
      return { body: { token_type: 'Bearer', expires_in: 3_599, access_token } }
    }
    const { url, port } = azure.cloud
    const cloud = await open(
      azure.cloud,
      {
        endpoints: { identity: url, resources: url, storage: more.storage ?? azurite.origin },
        billing: {
          storageAccount: azurite.account,
          container: 'exports',
          directory: 'costs',
          ...more.billing,
        },
      },
      { outbound: azurite.outbound([port, more.port ?? port]) },
    )
    const bills = cloud.bills?.()
    if (!bills) throw new Error('no bill')
    return bills
  }
  const october = async (bills: Bills): Promise<FoundSlice> => {
    const [newest] = await bills.find(signal)
    if (!newest) throw new Error('no slice')
    return newest
  }
  const fileOf = ({ files }: FoundSlice, name: string): BillFile => {
    const file = files.find(({ key }) => key.endsWith(`/${name}`))
    if (!file) throw new Error(`no ${name}`)
    return file
  }
  const fetched = async (bills: Bills, file: BillFile, name: string) => {
    const path = join(folder, name)
    await bills.fetch(file, path, { signal, onBytes: () => undefined })
    return readFileSync(path)
  }

  test('is found and fetched by the identity of the account', async () => {
    const bills = await billsOf()
    const found = await bills.find(signal)
    expect(found.map(({ period, state, rows }) => [period, state, rows])).toEqual([
      ['2026-10', 'ready', 20],
      ['2026-09', 'ready', 20],
    ])
    const [newest] = found as [FoundSlice]
    expect(newest.manifest).toBe(`${run(2)}/manifest.json`)
    expect(newest.files.map(({ size }) => size).toSorted((a, b) => a - b)).toEqual([
      0, 3, 9_000_001,
    ])
    expect((await fetched(bills, fileOf(newest, 'part_0.parquet'), 'large')).equals(large)).toBe(
      true,
    )
    expect((await fetched(bills, fileOf(newest, odd), 'odd')).toString()).toBe('odd')
    expect(await fetched(bills, fileOf(newest, 'empty'), 'empty')).toHaveLength(0)
    // The same export is the same hash.
    expect((await october(await billsOf())).hash).toBe(newest.hash)
  })

  test('is fetched from where it broke off', async () => {
    const link = await cuttableLink(`127.0.0.1:${azurite.port}`)
    const port = Number(link.address.split(':')[1])
    const bills = await billsOf({ storage: `https://localhost:${port}/${azurite.account}`, port })
    const file = fileOf(await october(bills), 'part_0.parquet')
    const path = join(folder, 'cut')
    let cuts = 0
    let written = 0
    const onBytes = (bytes: number) => {
      written += bytes
      if (cuts === 3) return
      cuts += 1
      void link.cut().then(() => link.mend())
    }
    await bills.fetch(file, path, { signal, onBytes })
    expect(cuts).toBe(3)
    // Nothing twice: what was there is not asked for again.
    expect(written).toBe(large.length)
    expect(readFileSync(path).equals(large)).toBe(true)
    await link.close()

    const half = join(folder, 'half')
    writeFileSync(half, large.subarray(0, 4_000_000))
    let rest = 0
    const own = await billsOf()
    await own.fetch(file, half, { signal, onBytes: (bytes) => void (rest += bytes) })
    expect(rest).toBe(large.length - 4_000_000)
    expect(readFileSync(half).equals(large)).toBe(true)
  })

  test('is not put together of two versions', async () => {
    const root = 'changing/20261001-20261031/1'
    await put(root, { 'part_0.parquet': Buffer.from('one') })
    const bills = await billsOf({ billing: { directory: 'changing' } })
    const found = await october(bills)
    await put(root, { 'part_0.parquet': Buffer.from('two') })
    await expect(fetched(bills, fileOf(found, 'part_0.parquet'), 'two')).rejects.toMatchObject({
      kind: 'changed',
    })
    expect((await october(bills)).hash).not.toBe(found.hash)
  })

  const connection = () =>
    `DefaultEndpointsProtocol=https;AccountName=${azurite.account};AccountKey=${azurite.key};BlobEndpoint=${azurite.origin}`
  test('is read by a key and by a token of the account as well', async () => {
    for (const billing of [
      { connectionString: connection() },
      { sasToken: `?${azurite.sas('rl')}` },
      {
        connectionString: `BlobEndpoint=${azurite.origin};SharedAccessSignature=${azurite.sas('rl')}`,
      },
    ]) {
      const bills = await billsOf({ billing })
      const file = fileOf(await october(bills), odd)
      expect((await fetched(bills, file, `by-${Object.keys(billing)[0]}`)).toString()).toBe('odd')
      rmSync(join(folder, `by-${Object.keys(billing)[0]}`))
    }
  })

  test('says what is wrong with the credentials or the container', async () => {
    const past = new Date(Date.now() - 60_000)
    const wrongKey = randomBytes(64).toString('base64')
    const expired = (audience: string) => entraToken({ tenant, audience, expiresAt: past })
    const ofManagement = () => entraToken({ tenant, audience: 'https://management.azure.com' })
    const unproved = /does not accept the key or token/
    for (const [more, issue, reason] of [
      [{}, expired, unproved],
      [{}, ofManagement, unproved],
      // Azurite says AuthorizationFailure where Azure says AuthenticationFailed.
      [{ billing: { sasToken: azurite.sas('rl', past) } }, undefined, /lack the right/],
      [{ billing: { sasToken: azurite.sas('r') } }, undefined, /lack the right/],
      [
        { billing: { connectionString: connection().replace(azurite.key, wrongKey) } },
        undefined,
        unproved,
      ],
    ] as const) {
      const bills = await billsOf(more, issue)
      const fault = await bills.find(signal).catch((error: unknown) => error)
      expect(fault).toMatchObject({ kind: 'denied', message: expect.stringMatching(reason) })
    }
    const missing = await billsOf({ billing: { container: 'none' } })
    await expect(missing.find(signal)).rejects.toMatchObject({
      kind: 'unreachable',
      message: 'Azure has no such container. Check billing.container.',
    })
  })
})
