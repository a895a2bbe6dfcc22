import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Bills, CloudTarget } from '../../../../gateways/clouds/cloud.ts'
import { openedClouds } from '../../../harness/clouds/opened-clouds.ts'
import { scriptedBigQuery } from '../../../harness/clouds/scripted-big-query.ts'
import { scriptedGoogleBucket } from '../../../harness/clouds/scripted-blobs.ts'
import {
  type ScriptedGoogle,
  startScriptedGoogle,
} from '../../../harness/clouds/scripted-google.ts'
import { billFolder } from '../../duckdb/bills.ts'

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
const serviceAccountKey = JSON.stringify({
  client_email: 'reader@project-42.iam.gserviceaccount.com',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
})
const table = { projectId: 'project-42', dataset: 'costs', table: 'focus' }
const billing = { ...table, bucket: 'bills', prefix: 'cc' }
const now = new Date()
const monthOf = (back: number) =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back)).toISOString().slice(0, 7)
const [month, before] = [monthOf(0), monthOf(1)]
const within = () => AbortSignal.timeout(60_000)

/** Of two months: nested and missing tags, floating-point costs, empty texts and texts with all signs of CSV. */
const lines = `SELECT (i * 0.000001)::DOUBLE AS "BilledCost", (i / 7.0)::DECIMAL(38, 9) AS "EffectiveCost",
  'USD' AS "BillingCurrency",
  CASE WHEN i < 100 THEN TIMESTAMPTZ '${before}-01 00:00:00+00' ELSE TIMESTAMPTZ '${month}-01 00:00:00+00' END AS "BillingPeriodStart",
  CASE WHEN i < 100 THEN TIMESTAMPTZ '${before}-01 00:00:00+00' ELSE TIMESTAMPTZ '${month}-01 00:00:00+00' + (i % 5) * INTERVAL 1 DAY END AS "ChargePeriodStart",
  'Usage' AS "ChargeCategory", 'Google Cloud' AS "ProviderName",
  ['Compute', 'a "b", c', 'two' || chr(10) || 'lines', '  Größe ✓ '][1 + i % 4] AS "ServiceName",
  ['', NULL, 'r-' || i][1 + i % 3] AS "ResourceId",
  CASE WHEN i % 5 = 0 THEN NULL ELSE [{'key': 'team', 'value': 'x"y' || (i % 2)}] END AS "Tags"
  FROM range(1100) r(i)`

describe('a bill in BigQuery, by a bucket', () => {
  let google: ScriptedGoogle
  let folder: Awaited<ReturnType<typeof billFolder>>
  let warehouse: Awaited<ReturnType<typeof scriptedBigQuery>>
  let bucket: ReturnType<typeof scriptedGoogleBucket>
  beforeAll(async () => {
    google = await startScriptedGoogle()
    folder = await billFolder()
    const { answer } = google.cloud
    google.cloud.answer = async (request) => {
      if (request.path.startsWith('/bigquery/')) return warehouse.answer(request)
      return request.path.startsWith('/storage/') ? bucket.answer(request) : answer(request)
    }
  })
  beforeEach(async () => {
    google.reset()
    bucket = scriptedGoogleBucket('bills')
    warehouse = await scriptedBigQuery('project-42', 'costs', 'focus')
    warehouse.bucket = 'bills'
    warehouse.write = (key, bytes) => bucket.put(key, bytes)
    await warehouse.run(`CREATE TABLE focus AS ${lines}`)
  })
  afterAll(async () => {
    await folder?.close()
    await google?.cloud.stop()
  })
  const openAt = openedClouds({
    provider: 'gcp',
    accountId: 'project-42',
    credentials: { serviceAccountKey },
  })
  const open = async (more: Partial<CloudTarget> = {}) => openAt(google.cloud, { billing, ...more })
  const billsOf = async (more: Partial<CloudTarget> = {}) => {
    const bills = (await open(more)).bills?.()
    if (!bills) throw new Error('no bill')
    return bills
  }
  const newest = async (bills: Bills) => {
    const [slice] = await bills.find(within())
    if (!slice) throw new Error('no slice')
    return slice
  }
  const unload = async (bills: Bills) => {
    const unloaded = await bills.unload?.(await newest(bills), within())
    if (!unloaded) throw new Error('nothing was exported')
    return unloaded
  }
  const fetched = async (bills: Bills, name: string) => {
    const { files, remove } = await unload(bills)
    const names = files.map((_, at) => `${name}-${at}.parquet`)
    for (const [at, file] of files.entries())
      await bills.fetch(file, folder.path(names[at] ?? ''), {
        signal: within(),
        onBytes: () => undefined,
      })
    return { names, files, remove }
  }
  const charges = async (names: readonly string[]) => {
    const answer = await folder.read(names)
    if (answer.kind !== 'read') throw new Error(JSON.stringify(answer))
    const rows = await folder.charges(answer.slices[0]?.path ?? '')
    return { slices: answer.slices, lines: rows.map((row) => JSON.stringify(row)).toSorted() }
  }

  test('one month is written as Parquet, read as the pages are, and deleted', async () => {
    bucket.put('cc/mine.txt', 'stays')
    warehouse.polls = 2
    const bills = await billsOf()
    expect(await bills.find(within())).toMatchObject([
      { period: month, state: 'ready', rows: 1_000 },
      { period: before, state: 'ready', rows: 100 },
    ])
    const { names, files, remove } = await fetched(bills, 'exported')
    expect(files.map(({ key }) => key)).toEqual([
      expect.stringMatching(
        new RegExp(`^cc/cloud-control-export/[0-9a-f]{16}/${month}/[0-9a-f-]{36}/0{12}\\.parquet$`),
      ),
      expect.stringMatching(/0{11}1\.parquet$/),
    ])
    const ofExport = await charges(names)
    expect(ofExport.slices).toMatchObject([{ period: month, rowsRead: 1_000, days: 5 }])

    const pages = await billsOf({ billing: table })
    const [file] = (await newest(pages)).files
    if (!file) throw new Error('no file')
    const progress = { signal: within(), onBytes: () => undefined }
    await pages.fetch(file, folder.path('pages.csv'), progress)
    expect(ofExport.lines).toEqual((await charges(['pages.csv'])).lines)

    await remove()
    expect([...bucket.files.keys()]).toEqual(['cc/mine.txt'])
  })

  test('what an attempt before left of the month is deleted, and of other months and organizations it stays', async () => {
    const bills = await billsOf()
    const left = await unload(bills)
    const [first = ''] = left.files.map(({ key }) => key)
    bucket.put(first.replace(month, before), 'another month')
    const other = await billsOf({ externalId: 'of-another-organization' })
    const theirs = await unload(other)
    const again = await unload(bills)
    expect([...bucket.files.keys()].toSorted()).toEqual(
      [...again.files, ...theirs.files]
        .map(({ key }) => key)
        .concat(first.replace(month, before))
        .toSorted(),
    )
  })

  test.each([
    [
      { reason: 'accessDenied', message: "Permission 'storage.objects.create' denied on resource" },
      { kind: 'denied', missing: ['storage.objects.create'] },
    ],
    [
      { reason: 'accessDenied', message: 'Access Denied' },
      { kind: 'denied', missing: ['storage.objects.create'] },
    ],
    [
      { reason: 'notFound', message: 'Not found: bucket' },
      { kind: 'unreachable', message: expect.stringContaining('Check billing.bucket') },
    ],
    [{ reason: 'quotaExceeded', message: 'the-secret' }, { kind: 'throttled' }],
    [
      { reason: 'invalid', message: 'the-secret' },
      { kind: 'unreachable', message: expect.stringContaining('location of the table') },
    ],
  ])('a job that ends with %o says what to do, and leaves no files', async (failure, fault) => {
    warehouse.exportError = failure
    const refusal: unknown = await unload(await billsOf()).catch((caught: unknown) => caught)
    expect(refusal).toMatchObject(fault)
    expect(String(refusal)).not.toContain('the-secret')
    expect([...bucket.files.keys()]).toEqual([])
  })

  test('lines that came, or a table that changed, since the month was counted are another bill', async () => {
    const bills = await billsOf()
    const slice = await newest(bills)
    await warehouse.run(`INSERT INTO focus SELECT * FROM focus WHERE "BilledCost" > 0.001 LIMIT 1`)
    await expect(bills.unload?.(slice, within())).rejects.toMatchObject({ kind: 'changed' })
    expect([...bucket.files.keys()]).toEqual([])
    warehouse.lastModifiedTime = '1790000000001'
    await expect(bills.unload?.(slice, within())).rejects.toMatchObject({ kind: 'changed' })
  })

  test('the check names what is missing in the bucket, and a bucket that is not there', async () => {
    const check = async (cloud: Awaited<ReturnType<typeof open>>) =>
      (await cloud.validate()).checks[2]
    expect(await check(await open())).toMatchObject({ part: 'billing', state: 'ok' })
    bucket.withheld = ['storage.objects.create', 'storage.objects.delete']
    expect(await check(await open())).toMatchObject({ state: 'missing', missing: bucket.withheld })
    expect(await check(await open({ billing: table }))).toMatchObject({ state: 'ok' })
    const elsewhere = await open({ billing: { ...billing, bucket: 'other' } })
    expect(await check(elsewhere)).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('Check billing.bucket'),
    })
  })

  test('a prefix with a quote stays a text', async () => {
    const bills = await billsOf({ billing: { ...billing, prefix: `a'); DROP TABLE focus; --` } })
    await bills.unload?.(await newest(bills), within()).catch(() => undefined)
    expect(warehouse.queries.at(-1)).toContain(`uri = 'gs://bills/a\\'); DROP TABLE focus; --/`)
  })
})
