import { beforeEach, describe, expect, test } from 'vitest'
import { billedAws } from '../../../harness/clouds/billed-aws.ts'
import { s3Refusal } from '../../../harness/clouds/scripted-s3.ts'

let signal: AbortSignal
beforeEach(() => {
  signal = AbortSignal.timeout(60_000)
})

describe('the bill of an AWS account', () => {
  const at = billedAws()
  const find = async () => (await at.bills()).find(signal)

  test('has the newest three months, each with the files that its manifest names', async () => {
    for (const period of ['2026-07', '2026-08', '2026-09', '2026-10'])
      at.month(period, { 'focus-00002.parquet': 'bb', 'focus-00001.parquet': period })
    at.month('9999-12', { 'focus-00001.parquet': 'far ahead' })
    // Left over by an older run, and named by no manifest.
    at.bucket.put('costs/focus/data/BILLING_PERIOD=2026-10/focus-00003.parquet', 'old')
    const found = await find()
    expect(found.map(({ period, state }) => `${period} ${state}`)).toEqual([
      '2026-10 ready',
      '2026-09 ready',
      '2026-08 ready',
    ])
    expect(found[0]).toMatchObject({
      manifest: 'costs/focus/metadata/BILLING_PERIOD=2026-10/focus-Manifest.json',
      reason: null,
      rows: null,
      files: [
        { key: 'costs/focus/data/BILLING_PERIOD=2026-10/focus-00001.parquet', size: 7 },
        { key: 'costs/focus/data/BILLING_PERIOD=2026-10/focus-00002.parquet', size: 2 },
      ],
    })
    expect(await find()).toEqual(found)
  })

  test('has another hash when a file was written again under its name', async () => {
    at.month('2026-10', { a: '1', b: '2' })
    at.month('2026-09', { a: '1' })
    const [before, other] = await find()
    at.month('2026-10', { a: '1', b: '3' })
    const [after, same] = await find()
    expect(after?.hash).not.toBe(before?.hash)
    expect(after?.hash).toMatch(/^[0-9a-f]{64}$/)
    expect(same?.hash).toBe(other?.hash)
  })

  test('of an export that keeps its older files is the newest run alone', async () => {
    const day = (n: number) => new Date(Date.UTC(2026, 9, n))
    at.month('2026-10', { 'focus-00001.csv.gz': 'old' }, '2026-10-02T00:00:00.000Z-aa/', day(2))
    at.month('2026-10', { 'focus-00001.csv.gz': 'new!' }, '2026-10-03T00:00:00.000Z-bb/', day(3))
    // A run that has not written its manifest yet.
    at.bucket.put('costs/focus/data/BILLING_PERIOD=2026-10/2026-10-04-cc/focus-00001.csv.gz', 'x')
    const [slice] = await find()
    expect(slice?.files.map(({ key, size }) => [key.split('/')[4], size])).toEqual([
      ['2026-10-03T00:00:00.000Z-bb', 4],
    ])
  })

  test('is not that of an export whose name or prefix begins in the same way', async () => {
    at.month('2026-10', { own: 'own' })
    for (const root of ['costs/focus-2', 'costs/focus/focus', 'costs-old/focus', 'focus'])
      for (const part of ['data', 'metadata'])
        at.bucket.put(`${root}/${part}/BILLING_PERIOD=2026-11/focus-Manifest.json`, '{}')
    expect((await find()).map(({ period }) => period)).toEqual(['2026-10'])
  })

  test('has folders in small letters, as the FOCUS tables name them', async () => {
    at.month('2026-10', {})
    at.bucket.files.clear()
    at.bucket.put('costs/focus/data/billing_period=2026-10/a.parquet', 'a')
    const dataFiles = ['s3://bills/costs/focus/data/billing_period=2026-10/a.parquet']
    const manifest = 'costs/focus/metadata/billing_period=2026-10/focus-Manifest.json'
    at.bucket.put(manifest, JSON.stringify({ dataFiles }))
    expect(await find()).toMatchObject([{ state: 'ready', files: [{ size: 1 }] }])
  })

  describe('waits, and the other months do not,', () => {
    const manifestOf = (dataFiles: unknown) => JSON.stringify({ dataFiles })
    const root = 's3://bills/costs/focus/data/BILLING_PERIOD=2026-10/'
    test.each([
      ['cut off', '{"dataFiles":["s3://bil', /cut off/],
      ['empty', '', /cut off/],
      ['of another kind', '{"reportKeys":[]}', /no dataFiles/],
      ['without files', manifestOf([]), /names no file/],
      [
        'with a file that is not there',
        manifestOf([`${root}gone.parquet`]),
        /gone\.parquet, which is not there/,
      ],
      [
        'of another bucket',
        manifestOf(['s3://others/costs/focus/data/a']),
        /others\/costs\/focus\/data\/a, which is not in/,
      ],
      ['of another folder', manifestOf(['s3://bills/costs/focus-2/data/a']), /which is not in/],
      ['with a path upwards', manifestOf([`${root}../../../../etc/passwd`]), /cannot be asked for/],
      ['of 5 MiB', `"${'x'.repeat(5 * 1024 ** 2)}"`, /more than 4 MiB/],
    ])('with a manifest that is %s', async (_, manifest, reason) => {
      at.month('2026-09', { a: '1' })
      at.month('2026-10', { a: '1' })
      at.bucket.put('costs/focus/metadata/BILLING_PERIOD=2026-10/focus-Manifest.json', manifest)
      at.bucket.put('costs/focus/data/BILLING_PERIOD=2026-10/../../../../etc/passwd', 'x')
      const [waiting, ready] = await find()
      expect(waiting).toMatchObject({ period: '2026-10', state: 'waiting', files: [] })
      expect(waiting?.reason).toMatch(reason)
      expect(ready).toMatchObject({ period: '2026-09', state: 'ready' })
    })

    test('without a manifest', async () => {
      at.bucket.put('costs/focus/data/BILLING_PERIOD=2026-10/focus-00001.parquet', 'x')
      expect(await find()).toMatchObject([
        { state: 'waiting', reason: expect.stringMatching(/not written/) },
      ])
    })

    test('with a manifest that grows while it is read', async () => {
      at.month('2026-10', { a: '1' })
      at.bucket.onGet = (_, answer) => ({ ...answer, body: Buffer.alloc(100 * 1024 ** 2, 'x') })
      expect(await find()).toMatchObject([
        { state: 'waiting', reason: expect.stringMatching(/4 MiB/) },
      ])
    })
  })

  test('with 20,000 files in the folder is found in pages', async () => {
    const { root } = at.month('2026-10', { 'zz-last': '1' })
    for (let n = 0; n < 20_000; n += 1) at.bucket.files.set(`${root}${n}`, small)
    expect(await find()).toMatchObject([{ state: 'ready', files: [{ key: `${root}zz-last` }] }])
  })

  test.each([
    ['denied', 403, 'AccessDenied', { kind: 'denied', missing: ['s3:GetObject'] }],
    ['archived', 403, 'InvalidObjectState', { message: expect.stringMatching(/archived/) }],
  ])('with a manifest that is %s is a fault', async (_, status, code, fault) => {
    at.month('2026-10', { a: '1' })
    at.bucket.onGet = () => s3Refusal(status, code)
    await expect(find()).rejects.toMatchObject(fault)
  })

  test.each([
    [404, 'NoSuchBucket', /billing\.bucket/],
    [301, 'PermanentRedirect', /billing\.region/],
    [400, 'AuthorizationHeaderMalformed', /billing\.region/],
  ])(
    'in a bucket that is not there, %i %s, is a fault that says so',
    async (status, code, reason) => {
      at.bucket.answer = () => s3Refusal(status, code)
      await expect(find()).rejects.toThrow(reason)
    },
  )

  describe('that is not there', () => {
    const billing = async () => {
      const { checks } = await (await at.cloud()).validate(signal)
      return checks.find(({ part }) => part === 'billing')
    }

    test('has no month, and its place is named: a new export has no file for a day', async () => {
      at.bucket.put('costs/another/metadata/BILLING_PERIOD=2026-10/another-Manifest.json', '{}')
      expect(await find()).toEqual([])
      expect((await at.bills()).place).toBe('s3://bills/costs/focus/')
      expect(await billing()).toMatchObject({
        state: 'ok',
        reason: expect.stringMatching(/^No file is in s3:\/\/bills\/costs\/focus\/ yet/),
      })
      at.month('2026-10', { a: '1' })
      expect(await billing()).toMatchObject({ state: 'ok', reason: null })
    })

    test('but a Cost and Usage Report is: how to export FOCUS is said', async () => {
      at.bucket.put('costs/focus/20261001-20261101/focus-Manifest.json', '{"reportKeys":[]}')
      at.bucket.put('costs/focus/20261001-20261101/4f1c/focus-00001.csv.gz', 'x')
      const said = /is a Cost and Usage Report.*FOCUS/
      await expect(find()).rejects.toThrow(said)
      const check = { state: 'failed', reason: expect.stringMatching(said) }
      expect(await billing()).toMatchObject(check)
      // Beside it, an export by that name.
      at.month('2026-10', { a: '1' })
      expect(await find()).toMatchObject([{ state: 'ready' }])
      expect(await billing()).toMatchObject({ state: 'ok', reason: null })
    })
  })

  test('of credentials of another account is not read', async () => {
    at.month('2026-10', { a: '1' })
    const asked: string[] = []
    at.bucket.answer = (request) => {
      asked.push(request.path)
      return s3Refusal(404, 'NoSuchBucket')
    }
    const bills = await at.bills({ accountId: '210987654321' })
    await expect(bills.find(signal)).rejects.toMatchObject({ kind: 'credentials' })
    expect(asked).toEqual([])
  })

  test('that redirects to a private address is not followed', async () => {
    const location = 'http://169.254.169.254/latest/'
    at.bucket.answer = () => ({ status: 307, headers: { location } })
    await expect(find()).rejects.toMatchObject({ code: 'address_not_allowed' })
  })

  test('whose list repeats a page is a fault', async () => {
    const more =
      '<IsTruncated>true</IsTruncated><NextContinuationToken>same</NextContinuationToken>'
    at.bucket.answer = () => ({
      headers: { 'content-type': 'application/xml' },
      body: `<ListBucketResult>${more}</ListBucketResult>`,
    })
    await expect(find()).rejects.toThrow(/repeats a page/)
  })
})

const small = { body: Buffer.from('x'), writtenAt: new Date(0) }
