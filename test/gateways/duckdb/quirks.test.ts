import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { billFolder, type BillFolder, type Row } from './bills.ts'

let bills: BillFolder
beforeAll(async () => {
  bills = await billFolder()
})
afterAll(async () => bills.close())

type Columns = Record<string, string | null>
const oneDay: Columns = { ChargePeriodStart: `TIMESTAMP '2026-09-03 05:00:00'` }

async function chargesOf(
  name: string,
  columns: Columns,
  { lines = 2, ...request }: { lines?: number } & Parameters<BillFolder['read']>[1] = {},
): Promise<Row[]> {
  await bills.write(name, { ...oneDay, ...columns }, lines)
  const answer = await bills.read([name], request)
  if (answer.kind !== 'read') throw new Error(JSON.stringify(answer.errors))
  return (await Promise.all(answer.slices.map(async ({ path }) => bills.charges(path)))).flat()
}

const tagsOf = (row: Row | undefined): unknown => JSON.parse(row?.['tags'] ?? 'null')

describe('tags', () => {
  test.each([
    ['map.parquet', `map {'env': 'prod', 'empty': '', 'bare': NULL}`],
    ['text.csv', `'{"env": "prod", "empty": "", "bare": null}'`],
    ['pairs.csv', `'[{"key":"env","value":"prod"},{"key":"empty","value":""},{"key":"bare"}]'`],
    [
      'list.parquet',
      `[{'key': 'env', 'value': 'prod'}, {'key': 'empty', 'value': ''}, {'key': 'bare', 'value': NULL}]`,
    ],
  ])('as map, JSON text or pairs are one object: %s', async (name, Tags) => {
    const [row] = await chargesOf(name, { Tags })
    expect(tagsOf(row)).toEqual({ env: 'prod', empty: '', bare: 'true' })
  })

  test('aliases are one key; its own name goes before them, in their order', async () => {
    const tagAliases = { team: ['Team', 'resourceTags/team'] }
    const Tags = `CASE i WHEN 0 THEN '{"Team": "a", "resourceTags/team": "b"}' ELSE '{"resourceTags/team": "b", "team": "a"}' END`
    const rows = await chargesOf('aliases.csv', { Tags, ResourceId: `'i'` }, { tagAliases })
    expect(rows).toHaveLength(1)
    expect(tagsOf(rows[0])).toEqual({ team: 'a' })
  })

  test('the order of keys is of no account', async () => {
    const Tags = `CASE i WHEN 0 THEN '{"a": "1", "b": "2"}' ELSE '{"b":"2","a":"1"}' END`
    expect(await chargesOf('order.csv', { Tags, ResourceId: `'i'` })).toHaveLength(1)
  })

  test('300 of them, and one of 5,000 characters, are kept whole', async () => {
    const many = `to_json(map_from_entries(list_transform(range(300), n -> {'k': 'key-' || n, 'v': repeat('x', 5000 * CAST(n = 7 AS INTEGER))})))`
    const [row] = await chargesOf('many.csv', { Tags: many })
    const tags = tagsOf(row) as Record<string, string>
    expect(Object.keys(tags)).toHaveLength(300)
    expect(tags['key-7']).toHaveLength(5_000)
  })

  test.each([`''`, 'NULL::VARCHAR', `'{}'`, `'null'`, null])(
    'none at all (%s) are null',
    async (Tags) => {
      const [row] = await chargesOf('none.parquet', { Tags })
      expect(row?.['tags']).toBeNull()
    },
  )
})

describe('providers', () => {
  test.each([
    ['Amazon Web Services', 'aws'],
    ['Microsoft', 'azure'],
    ['Google Cloud', 'gcp'],
    ['Oracle', 'oci'],
    ['Grafana Labs', 'grafana labs'],
  ])('%s is %s, and keeps the name of its bill', async (name, provider) => {
    const [row] = await chargesOf('provider.csv', { ProviderName: `'${name}'` })
    expect(row).toMatchObject({ provider, provider_name: name })
  })

  test('FOCUS 1.4 names a service provider alone', async () => {
    const columns = { ProviderName: null, ServiceProviderName: `'AWS'` }
    const [row] = await chargesOf('provider-1.4.parquet', columns)
    expect(row).toMatchObject({ provider: 'aws', provider_name: 'AWS' })
    const answer = await bills.read(['provider-1.4.parquet'])
    expect(answer).toMatchObject({ focusVersion: '1.4' })
  })

  test('a line that names none is of the account’s cloud', async () => {
    const rows = await chargesOf('unnamed.csv', { ProviderName: `''` }, { provider: 'gcp' })
    expect(rows[0]).toMatchObject({ provider: 'gcp' })
  })

  test('ids of Azure are lower case, so that one resource is one row; those of AWS are as they are', async () => {
    const ResourceId = `CASE i WHEN 0 THEN '/Subscriptions/A/VM' ELSE '/subscriptions/a/vm' END`
    const azure = { ResourceId, ProviderName: `'Microsoft'` }
    const rows = await chargesOf('azure.parquet', azure)
    expect(rows).toHaveLength(1)
    expect(rows[0]?.['resource_id']).toBe('/subscriptions/a/vm')
    expect(await chargesOf('aws.parquet', { ResourceId })).toHaveLength(2)
  })

  test('so is the id of a reservation of Azure', async () => {
    const CommitmentDiscountId = `CASE i WHEN 0 THEN '/Orders/A' ELSE '/orders/a' END`
    const columns = { CommitmentDiscountId, ResourceId: `'i'` }
    const azure = { ...columns, ProviderName: `'Microsoft'` }
    const rows = await chargesOf('azure-reservation.parquet', azure)
    expect(rows.map((row) => row['commitment_discount_id'])).toEqual(['/orders/a'])
    expect(await chargesOf('aws-plan.parquet', columns)).toHaveLength(2)
  })
})

describe('other ways in which bills differ', () => {
  test('days are UTC, whatever the offset', async () => {
    const ChargePeriodStart = `'2026-09-03T01:00:00+02:00'`
    const [row] = await chargesOf('offset.csv', { ChargePeriodStart })
    expect(row?.['day']).toBe('2026-09-02')
    const zoned = { ChargePeriodStart: `TIMESTAMPTZ '2026-09-03 01:00:00+02'` }
    const [same] = await chargesOf('offset.parquet', zoned)
    expect(same?.['day']).toBe('2026-09-02')
  })

  test.each([
    [`'2026-09-03T00:00Z'`, '2026-09-03'],
    [`'2026-09-03T05:30'`, '2026-09-03'],
    [`'2026-09-03 05:30'`, '2026-09-03'],
    [`'2026-09-03T01:30+02:00'`, '2026-09-02'],
    [`'2026-09-03T01:30+0200'`, '2026-09-02'],
    [`'2026-09-03T01:30+02'`, '2026-09-02'],
    [`'2026-09-02T23:30-01:00'`, '2026-09-03'],
    [`'2026-09-03 05:30 UTC'`, '2026-09-03'],
    [`'2026-09-03 01:30 +0200'`, '2026-09-02'],
  ])('a time without seconds, as in Azure’s CSV, is one: %s', async (ChargePeriodStart, day) => {
    const [row] = await chargesOf('minutes.csv', {
      ChargePeriodStart,
      ChargePeriodEnd: `'2026-09-04T00:00Z'`,
      BillingPeriodStart: `'2026-09-01T00:00Z'`,
      BillingPeriodEnd: `'2026-10-01T00:00Z'`,
    })
    expect(row).toMatchObject({
      day,
      charge_period_end: '2026-09-04 00:00:00Z',
      billing_period_start: '2026-09-01',
    })
  })

  test.each([
    [`'2026-09-03 01:00:00.000 +0000'`, '2026-09-03'],
    [`'2026-09-03 01:00:00.000 +0200'`, '2026-09-02'],
    [`'2026-09-03 01:00:00 +02:00'`, '2026-09-02'],
    [`'2026-09-03 01:00:00.000 Z'`, '2026-09-03'],
  ])('a time with a blank before its zone, as of Snowflake, is one: %s', async (sql, day) => {
    const [row] = await chargesOf('blank.csv', { ChargePeriodStart: sql })
    expect(row).toMatchObject({ day })
  })

  test('a column of nothing but nulls is as if it were missing, whatever its type', async () => {
    const columns = { Tags: 'NULL::INTEGER', BillingPeriodStart: 'NULL::BOOLEAN', ListCost: 'NULL' }
    const [row] = await chargesOf('nulls.parquet', columns)
    expect(row).toMatchObject({ tags: null, billing_period_start: null, list_cost: null })
    await bills.write('some.parquet', { ...oneDay, Tags: 'CASE i WHEN 1 THEN 7 END' })
    expect(await bills.read(['some.parquet'])).toMatchObject({
      errors: [{ column: 'Tags', message: 'The column is of type INTEGER, which is not tags' }],
    })
  })

  test.each([
    '2026-09-03T25:00Z',
    '2026-09-03T05',
    '2026-09-03 05:00:00 Z Z',
    '2026-09-03T05:00Z or so',
  ])('%s is no time', async (time) => {
    await bills.write('no-time.csv', { ChargePeriodStart: `'${time}'` }, 1)
    expect(await bills.read(['no-time.csv'])).toMatchObject({
      kind: 'refused',
      errors: [{ row: 1, column: 'ChargePeriodStart' }],
    })
  })

  test('a bill may have times with seconds and without', async () => {
    const ChargePeriodStart = `CASE i WHEN 0 THEN '2026-09-03T00:00Z' ELSE '2026-09-03T00:00:00Z' END`
    expect(await chargesOf('both.csv', { ChargePeriodStart, ResourceId: `'i'` })).toHaveLength(1)
  })

  test('a code of a currency is in upper case; other names of money are as they are', async () => {
    const BillingCurrency = `CASE i WHEN 0 THEN 'usd' WHEN 1 THEN ' Usd ' WHEN 2 THEN 'USD' ELSE 'credits' END`
    const columns = { BillingCurrency, ResourceId: `'i'` }
    const rows = await chargesOf('currency.csv', columns, { lines: 4 })
    expect(rows).toHaveLength(2)
    expect(new Set(rows.map((row) => row['billing_currency']))).toEqual(new Set(['USD', 'credits']))
    const usual = await chargesOf('currency.csv', { BillingCurrency: `'usd'` })
    expect(usual.map((row) => row['billing_currency'])).toEqual(['USD', 'USD'])
    expect(await bills.read(['currency.csv'])).toMatchObject({ slices: [{ currency: 'USD' }] })
  })

  test('an empty text is null, and a zero byte is left out', async () => {
    const columns = { RegionId: `''`, ResourceName: `'a' || chr(0) || 'b'`, ServiceName: `''` }
    const [row] = await chargesOf('empty.parquet', { ...columns, PublisherName: `'Publisher'` })
    expect(row).toMatchObject({ region_id: null, resource_name: 'ab', service_name: 'Publisher' })
  })

  test('a list cost of 0 stays as billed, and one that is missing stays missing', async () => {
    const [zero] = await chargesOf('zero.csv', { ListCost: '0' })
    expect(zero?.['list_cost']).toBe('0.000000000000')
    const [none] = await chargesOf('none.csv', { ListCost: null })
    expect(none?.['list_cost']).toBeNull()
  })

  test('columns that FOCUS does not know are kept where all lines of a row agree', async () => {
    const columns = { x_Same: `'s'`, x_Line: `'line ' || i`, x_None: 'NULL', ResourceId: `'i'` }
    const rows = await chargesOf('extra.csv', columns)
    expect(rows).toHaveLength(1)
    expect(JSON.parse(rows[0]?.['extra'] ?? '')).toEqual({ x_Same: 's' })
  })

  test('names of columns are names, whatever is in them', async () => {
    const name = `x'"); DROP TABLE grouped; --`
    await bills.write('names.csv', oneDay, 2)
    const path = bills.path('names.csv')
    await bills.rows(
      `COPY (SELECT *, 1 AS "${name.replaceAll('"', '""')}" FROM read_csv('${path}', all_varchar = true)) TO '${path}.2.csv' (FORMAT csv)`,
    )
    expect(await bills.read(['names.csv.2.csv'])).toMatchObject({ kind: 'read' })
  })
})
