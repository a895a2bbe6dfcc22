import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createPace } from '../../../../gateways/clouds/bills/pace.ts'
import type { Bills } from '../../../../gateways/clouds/cloud.ts'
import { openedClouds } from '../../../harness/clouds/opened-clouds.ts'
import { refusedByGoogle, scriptedBigQuery } from '../../../harness/clouds/scripted-big-query.ts'
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
const billing = { projectId: 'project-42', dataset: 'costs', table: 'focus' }
const month = new Date().toISOString().slice(0, 7)

const within = () => AbortSignal.timeout(60_000)

/**
 * Lines as Google's table gcp_billing_export_focus_… has them: tags in columns of its own and no `Tags`, floating-point
 * costs, texts with all signs of CSV.
 */
const lines = `SELECT (i * 0.000001)::DOUBLE AS "BilledCost", (i / 7.0)::DECIMAL(38, 9) AS "EffectiveCost",
  'USD' AS "BillingCurrency", TIMESTAMPTZ '${month}-01 00:00:00+00' AS "BillingPeriodStart",
  TIMESTAMPTZ '${month}-01 00:00:00+00' + (i % 5) * INTERVAL 1 DAY AS "ChargePeriodStart",
  'Usage' AS "ChargeCategory", 'Google Cloud' AS "ProviderName",
  ['Compute', 'a "b", c', 'two' || chr(10) || 'lines', '  Größe ✓ '][1 + i % 4] AS "ServiceName",
  CASE WHEN i % 3 = 0 THEN NULL ELSE 'r-' || i END AS "ResourceId",
  [{'Key': 'team', 'Value': 'x"y' || (i % 2)}] AS "x_Labels",
  [{'Key': 'team', 'Value': 'platform'}, {'Key': 'env', 'Value': 'prod'}] AS "x_ProjectLabels",
  [{'Key': 'compute.googleapis.com/cores', 'Value': '2'}] AS "x_SystemLabels",
  [{'Key': 'cost', 'Value': '42', 'x_Inherited': true, 'x_Namespace': '1'}] AS "x_Tags", i::BIGINT AS "x_Number"
  FROM range(2500) r(i)`

describe('a bill in BigQuery', () => {
  let google: ScriptedGoogle
  let folder: Awaited<ReturnType<typeof billFolder>>
  let warehouse: Awaited<ReturnType<typeof scriptedBigQuery>>
  beforeAll(async () => {
    google = await startScriptedGoogle()
    folder = await billFolder()
    const { answer } = google.cloud
    google.cloud.answer = async (request) =>
      request.path.startsWith('/bigquery/') ? warehouse.answer(request) : answer(request)
  })
  beforeEach(async () => {
    google.reset()
    warehouse = await scriptedBigQuery('project-42', 'costs', 'focus')
    await warehouse.run(`CREATE TABLE focus AS ${lines}`)
  })
  afterAll(async () => {
    await folder?.close()
    await google?.cloud.stop()
  })
  const open = openedClouds({
    provider: 'gcp',
    accountId: 'project-42',
    credentials: { serviceAccountKey },
  })
  const billsOf = async (): Promise<Bills> => {
    const bills = (await open(google.cloud, { billing })).bills?.()
    if (!bills) throw new Error('no bill')
    return bills
  }
  const find = async () => (await billsOf()).find(within())
  const newest = async (bills: Bills) => {
    const [slice] = await bills.find(within())
    const file = slice?.files[0]
    if (!slice || !file) throw new Error('no slice')
    return { slice, file }
  }
  const fetchTo = async (name: string, onBytes: (bytes: number) => void = () => undefined) => {
    const bills = await billsOf()
    const { file } = await newest(bills)
    await bills.fetch(file, folder.path(name), { signal: within(), onBytes })
    return readFileSync(folder.path(name), 'utf8')
  }

  test('is found by month, and read to the cent with its tags', async () => {
    const found = await find()
    expect(found).toMatchObject([
      {
        period: month,
        state: 'ready',
        rows: 2_500,
        manifest: 'bigquery project-42.costs.focus',
        files: [{ key: `project-42.costs.focus/${month}.csv`, etag: '1790000000000.2500' }],
      },
    ])
    warehouse.polls = 2
    await fetchTo('bill.csv')
    const answer = await folder.read(['bill.csv'])
    if (answer.kind !== 'read') throw new Error(JSON.stringify(answer))
    const [expected] =
      await warehouse.rows(`SELECT sum("BilledCost"::DECIMAL(38, 12))::VARCHAR AS billed,
      sum("EffectiveCost"::DECIMAL(38, 12))::VARCHAR AS effective FROM focus`)
    expect(answer.slices).toMatchObject([{ period: month, rowsRead: 2_500, days: 5, ...expected }])
    const charges = await folder.charges(answer.slices[0]?.path ?? '')
    expect(new Set(charges.map((row) => row['service_name']))).toEqual(
      new Set(['Compute', 'a "b", c', 'two\nlines', '  Größe ✓ ']),
    )
    expect(new Set(charges.map((row) => row['tags']))).toEqual(
      new Set([0, 1].map((n) => JSON.stringify({ cost: '42', env: 'prod', team: `x"y${n}` }))),
    )
    expect(charges.filter((row) => row['resource_id'] === null)).not.toEqual([])
  })

  test('another time of the last change is another bill, of a view its lines are', async () => {
    const hash = async () => (await find())[0]?.hash
    const first = await hash()
    expect(await hash()).toBe(first)
    warehouse.lastModifiedTime = '1790000000001'
    expect(await hash()).not.toBe(first)

    warehouse.type = 'VIEW'
    const ofView = await hash()
    warehouse.lastModifiedTime = '1790000000002'
    expect(await hash()).toBe(ofView)
    await warehouse.run(`UPDATE focus SET "ServiceName" = 'other' WHERE "x_Number" = 17`)
    expect(await hash()).not.toBe(ofView)
  })

  test('is begun anew where a file is there, and refused where lines came meanwhile', async () => {
    writeFileSync(folder.path('again.csv'), 'x'.repeat(10_000_000))
    expect(await fetchTo('again.csv')).toBe(await fetchTo('other.csv'))
    const bills = await billsOf()
    const { file } = await newest(bills)
    const fetching = async () =>
      bills.fetch(file, folder.path('new.csv'), { signal: within(), onBytes: () => undefined })
    await warehouse.run('INSERT INTO focus SELECT * FROM focus LIMIT 1')
    await expect(fetching()).rejects.toMatchObject({ kind: 'changed' })
    await warehouse.run(`DELETE FROM focus WHERE rowid IN (SELECT max(rowid) FROM focus)`)
    await fetching()
    warehouse.lastModifiedTime = '1790000000003'
    await expect(fetching()).rejects.toMatchObject({ kind: 'changed' })
  })

  test('counts what is on the disk once, however often it is begun', async () => {
    let counted = 0
    const progress = {
      signal: within(),
      onBytes: (bytes: number) => void (counted += bytes),
      onRemoved: (bytes: number) => void (counted -= bytes),
    }
    const bills = await billsOf()
    const { file } = await newest(bills)
    for (const _try of [1, 2]) {
      await bills.fetch(file, folder.path('twice.csv'), progress)
      expect(counted).toBe(statSync(folder.path('twice.csv')).size)
    }
  })

  test('whose endpoint sends small pages slowly is given up, and one that takes long for the query is not', async () => {
    let now = 0
    let seconds = { ofQuery: 0, ofPage: 0 }
    warehouse.before = ({ path, query }) => {
      if (!path.includes('/queries/')) return undefined
      now += 1_000 * (query.get('startIndex') === '0' ? seconds.ofQuery : seconds.ofPage)
      return undefined
    }
    const bills = await billsOf()
    const { file } = await newest(bills)
    const fetching = async () => {
      const pace = createPace(() => now)
      const progress = { signal: within(), onBytes: () => undefined, pace }
      await bills.fetch(file, folder.path('slow.csv'), progress)
    }
    await warehouse.run(`UPDATE focus SET "ServiceName" = 'short'`)
    seconds = { ofQuery: 3_600, ofPage: 1 }
    await fetching()
    seconds = { ofQuery: 0, ofPage: 60 }
    await expect(fetching()).rejects.toMatchObject({
      kind: 'unreachable',
      message: expect.stringMatching(/less than 64 KiB a second/),
    })
  })

  test('whose lines are long comes in smaller pages, none of them held together', async () => {
    await warehouse.run(`ALTER TABLE focus ADD COLUMN "ChargeDescription" VARCHAR`)
    await warehouse.run(`UPDATE focus SET "ChargeDescription" = repeat('x', 3000)`)
    const chunks: number[] = []
    await fetchTo('long.csv', (bytes) => chunks.push(bytes))
    expect(Math.max(...chunks)).toBeLessThan(4 * 1024 ** 2)
    expect(chunks.length).toBeGreaterThan(4)
    expect(statSync(folder.path('long.csv')).size).toBeGreaterThan(2_500 * 3_000)
  })

  test('is asked again when Google cannot answer, without a second query', async () => {
    let left = 2
    warehouse.before = ({ path }) =>
      path.includes('/queries/') && (left -= 1) >= 0
        ? refusedByGoogle(503, 'backendError')
        : undefined
    expect(await find()).toHaveLength(1)
    expect(warehouse.queries).toHaveLength(1)
  })

  test.each([
    ['tables', 403, 'accessDenied', { kind: 'denied', missing: ['bigquery.tables.get'] }],
    ['jobs', 403, 'accessDenied', { kind: 'denied', missing: ['bigquery.jobs.create'] }],
    ['queries', 403, 'accessDenied', { kind: 'denied', missing: ['bigquery.tables.getData'] }],
    ['jobs', 403, 'quotaExceeded', { kind: 'throttled' }],
    ['jobs', 403, 'billingNotEnabled', { kind: 'unreachable', message: noBilling() }],
    ['tables', 404, 'notFound', { kind: 'unreachable', message: noTable() }],
    ['jobs', 400, 'invalidQuery', { kind: 'unreachable', message: noQuery() }],
    ['tables', 401, 'authError', { kind: 'credentials' }],
  ])('%s that answers %i %s says what to do', async (part, status, reason, fault) => {
    warehouse.before = ({ path }) =>
      path.includes(`/${part}`) ? refusedByGoogle(status, reason) : undefined
    await expect(find()).rejects.toMatchObject(fault)
  })

  test('without the columns of FOCUS is refused before a query', async () => {
    await warehouse.run('ALTER TABLE focus DROP COLUMN "BilledCost"')
    await expect(find()).rejects.toThrow(/has no column BilledCost/)
    expect(warehouse.queries).toEqual([])
  })

  test('is checked by a query that is not run', async () => {
    const cloud = await open(google.cloud, { billing })
    expect((await cloud.validate()).checks[2]).toMatchObject({ part: 'billing', state: 'ok' })
    warehouse.before = ({ path }) =>
      path.endsWith('/jobs') ? refusedByGoogle(403, 'accessDenied') : undefined
    expect((await cloud.validate()).checks[2]).toMatchObject({ missing: ['bigquery.jobs.create'] })
  })

  test('with a column whose name is no word leaves it out, and runs nothing of it', async () => {
    await warehouse.run('ALTER TABLE focus ADD COLUMN "x, (SELECT 1)" VARCHAR')
    const text = await fetchTo('named.csv')
    expect(text.split('\n')[0]).not.toContain('SELECT')
    expect(warehouse.queries.join(' ')).not.toContain('SELECT 1)')
  })
})

function noBilling() {
  return 'The project of the table has no billing for queries.'
}
function noTable() {
  return 'BigQuery has no such table. Check billing.projectId, billing.dataset and billing.table.'
}
function noQuery() {
  return 'BigQuery refuses the query. Is the table a FOCUS export?'
}
