import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openedClouds } from '../../../harness/clouds/opened-clouds.ts'
import { type Keys, type Moto, startMoto } from '../../../harness/clouds/moto.ts'
import { hasPython } from '../../../peers/python-tools.ts'

const accountId = '123456789012'
const billing = { bucket: 'bills', prefix: 'costs', region: 'us-east-1', exportName: 'focus' }
const root = 'costs/focus/data/BILLING_PERIOD=2026-10'
const bytes = Buffer.from(Array.from({ length: 1_000_000 }, (_, n) => n % 251))
const names = ['focus-00001.parquet', "a b+c&ü'(1)%41.parquet"]

/** moto checks the signature and the policy of each call here. */
describe.skipIf(!hasPython())('the bill of an AWS account, by moto', () => {
  let moto: Moto
  let reader: Keys
  let lister: Keys
  const folder = mkdtempSync(join(tmpdir(), 'bills-'))
  const put = async (path: string, body?: Buffer) => {
    const headers = {
      authorization:
        'AWS4-HMAC-SHA256 Credential=setup/20261122/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=none',
    }
    const url = `${moto.url}/${path.split('/').map(encodeURIComponent).join('/')}`
    const sent = body && { body: new Uint8Array(body) }
    const { ok } = await globalThis.fetch(url, { method: 'PUT', headers, ...sent })
    if (!ok) throw new Error(`not put: ${path}`)
  }
  beforeAll(async () => {
    moto = await startMoto()
    await moto.setUp(async () => {
      reader = await moto.user('reader', ['s3:ListBucket', 's3:GetObject'])
      lister = await moto.user('lister', ['s3:ListBucket'])
      await put('bills')
      for (const name of names) await put(`bills/${root}/${name}`, bytes)
      for (let n = 0; n < 600; n += 1) await put(`bills/${root}/old-${n}.parquet`, Buffer.from('x'))
      const dataFiles = names.map((name) => `s3://bills/${root}/${name}`)
      const manifest = Buffer.from(JSON.stringify({ dataFiles }))
      await put('bills/costs/focus/metadata/BILLING_PERIOD=2026-10/focus-Manifest.json', manifest)
      await put(
        'bills/costs/focus-2/metadata/BILLING_PERIOD=2026-11/focus-2-Manifest.json',
        manifest,
      )
    })
    // The first run installs moto.
  }, 600_000)
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true })
    await moto?.stop()
  })
  const openAt = openedClouds({
    provider: 'aws',
    accountId,
    credentials: { accessKeyId: '', secretAccessKey: '' },
  })
  const billsOf = async (credentials: Keys) => {
    const bills = (await openAt(moto, { credentials, billing })).bills?.()
    if (!bills) throw new Error('no bill')
    return bills
  }
  const progress = () => ({ signal: AbortSignal.timeout(60_000), onBytes: () => undefined })

  test('is found, and fetched with the whole of its names, also from the middle', async () => {
    const bills = await billsOf(reader)
    const found = await bills.find(AbortSignal.timeout(60_000))
    expect(found).toMatchObject([{ period: '2026-10', state: 'ready', reason: null }])
    const files = found[0]?.files ?? []
    expect(files.map(({ key }) => key).toSorted()).toEqual(
      names.map((name) => `${root}/${name}`).toSorted(),
    )
    for (const [n, file] of files.entries()) {
      const path = join(folder, String(n))
      await bills.fetch(file, path, progress())
      expect(readFileSync(path).equals(bytes)).toBe(true)
    }
  })

  test('of which a file was replaced has changed', async () => {
    const bills = await billsOf(reader)
    const [slice] = await bills.find(AbortSignal.timeout(60_000))
    const file = slice?.files[0]
    if (!file) throw new Error('not found')
    await moto.setUp(async () => put(`bills/${file.key}`, Buffer.from('other')))
    const fetched = bills.fetch(file, join(folder, 'changed'), progress())
    await expect(fetched).rejects.toMatchObject({ kind: 'changed' })
    await moto.setUp(async () => put(`bills/${file.key}`, bytes))
  })

  test('that may be listed and not read names the right', async () => {
    const bills = await billsOf(lister)
    await expect(bills.find(AbortSignal.timeout(60_000))).rejects.toMatchObject({
      kind: 'denied',
      missing: ['s3:GetObject'],
    })
  })
})
