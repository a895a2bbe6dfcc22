import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Bills } from '../../../../gateways/clouds/cloud.ts'
import { openedClouds } from '../../../harness/clouds/opened-clouds.ts'
import { scriptedGoogleBucket } from '../../../harness/clouds/scripted-blobs.ts'
import {
  type ScriptedGoogle,
  startScriptedGoogle,
} from '../../../harness/clouds/scripted-google.ts'

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
const serviceAccountKey = JSON.stringify({
  client_email: 'reader@project-42.iam.gserviceaccount.com',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
})
let signal: AbortSignal
beforeEach(() => {
  signal = AbortSignal.timeout(60_000)
})

describe('the bill of a Google account', () => {
  let google: ScriptedGoogle
  let bucket = scriptedGoogleBucket('bills')
  const folder = mkdtempSync(join(tmpdir(), 'bills-'))
  beforeAll(async () => {
    google = await startScriptedGoogle()
  })
  beforeEach(() => {
    google.reset()
    bucket = scriptedGoogleBucket('bills')
    google.handlers.bill = (request) => bucket.answer(request)
  })
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true })
    await google.cloud.stop()
  })
  const credentials = { serviceAccountKey }
  const open = openedClouds({ provider: 'gcp', accountId: 'project-42', credentials })
  const billsOf = async (
    billing: object = { bucket: 'bills', prefix: 'costs' },
  ): Promise<Bills> => {
    const bills = (await open(google.cloud, { billing: { ...billing } })).bills?.()
    if (!bills) throw new Error('no bill')
    return bills
  }
  const find = async () => (await billsOf()).find(signal)

  test('is the folders of the newest months, with all of their files', async () => {
    for (const period of ['2026-07', '2026-08', '2026-09', '2026-10'])
      bucket.put(`costs/${period}/0.parquet`, period)
    bucket.put('costs/2026-10/part/1.csv.gz', 'x')
    bucket.put('costs/2026-10/_SUCCESS', '')
    bucket.put('costs/2026-11/', '')
    bucket.put('costs/notes/0.parquet', 'x')
    bucket.put('costs-old/2026-11/0.parquet', 'x')
    const found = await find()
    expect(found.map(({ period }) => period)).toEqual(['2026-10', '2026-09'])
    expect(found[0]).toMatchObject({
      state: 'ready',
      manifest: 'gs://bills/costs/2026-10/',
      files: [{ key: 'costs/2026-10/0.parquet' }, { key: 'costs/2026-10/part/1.csv.gz', size: 1 }],
    })
    bucket.put('costs/2026-10/0.parquet', '2026-10')
    expect((await find())[0]?.hash).not.toBe(found[0]?.hash)
  })

  test('of a folder with 2,500 files has all of them', async () => {
    for (let n = 0; n < 2_500; n += 1) bucket.put(`costs/2026-10/${n}.parquet`, 'x')
    expect((await find())[0]?.files).toHaveLength(2_500)
  })

  test('a file is fetched, taken up where it broke off, and noticed when it was replaced', async () => {
    const body = 'x'.repeat(2_000_000)
    bucket.put("costs/2026-10/a b+c&ü'#?.csv", body)
    const bills = await billsOf()
    const file = (await bills.find(signal))[0]?.files[0]
    if (!file) throw new Error('not found')
    let cuts = 2
    bucket.onGet = (_, answer) => ((cuts -= 1) >= 0 ? { ...answer, cutAt: 700_000 } : answer)
    await bills.fetch(file, join(folder, 'a'), { signal, onBytes: () => undefined })
    expect(readFileSync(join(folder, 'a'), 'utf8') === body).toBe(true)
    // Google would unpack what was stored as gzip, and cut no ranges of it.
    expect(google.cloud.asked.at(-1)?.headers['accept-encoding']).toBe('gzip')
    bucket.put(file.key, body)
    const again = bills.fetch(file, join(folder, 'b'), { signal, onBytes: () => undefined })
    await expect(again).rejects.toMatchObject({ kind: 'changed' })
  })

  test('that may not be listed or read names the right', async () => {
    bucket.answer = () => ({ status: 403, body: {} })
    await expect(find()).rejects.toMatchObject({
      kind: 'denied',
      missing: ['storage.objects.list'],
    })
    bucket = scriptedGoogleBucket('bills')
    bucket.put('costs/2026-10/a.csv', 'x')
    const bills = await billsOf()
    const file = (await bills.find(signal))[0]?.files[0]
    if (!file) throw new Error('not found')
    bucket.onGet = () => ({ status: 403, body: {} })
    const fetched = bills.fetch(file, join(folder, 'c'), { signal, onBytes: () => undefined })
    await expect(fetched).rejects.toMatchObject({
      kind: 'denied',
      missing: ['storage.objects.get'],
    })
  })

  test('is asked for again when Google cannot answer, and not when the bucket is not there', async () => {
    bucket.put('costs/2026-10/a.csv', 'x')
    let refusals = 1
    google.handlers.bill = (request) =>
      (refusals -= 1) >= 0 ? { status: 503, body: {} } : bucket.answer(request)
    expect(await find()).toMatchObject([{ state: 'ready' }])
    google.handlers.bill = () => ({ status: 404, body: {} })
    await expect(find()).rejects.toThrow(/billing\.bucket/)
  })

  test('that redirects to a private address is not followed', async () => {
    bucket.answer = () => ({ status: 302, headers: { location: 'http://169.254.169.254/' } })
    await expect(find()).rejects.toMatchObject({ code: 'address_not_allowed' })
  })
})
