import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { billFolder, type BillFolder } from './bills.ts'

let bills: BillFolder
beforeAll(async () => {
  bills = await billFolder()
})
afterAll(async () => bills.close())

describe('a bill is refused as a whole', () => {
  test('without rows', async () => {
    await bills.write('none.csv', {}, 0)
    await bills.write('none.parquet', {}, 0)
    for (const name of ['none.csv', 'none.parquet'])
      expect(await bills.read([name])).toMatchObject({
        kind: 'refused',
        errors: [{ file: `bills/${name}`, message: 'The file has no rows.' }],
      })
    await bills.write('some.csv')
    expect((await bills.read(['none.csv', 'some.csv'])).kind).toBe('read')
  })

  test.each([
    ['ProviderName', `'provider ' || i`, 200],
    ['ServiceName', `'service ' || i`, 10_000],
  ])('with too many names in %s', async (column, sql, atMost) => {
    await bills.write('names.parquet', { [column]: sql }, atMost + 1)
    expect(await bills.read(['names.parquet'])).toMatchObject({
      kind: 'refused',
      errors: [{ file: 'bills/names.parquet', column }],
    })
    await bills.write('names.parquet', { [column]: sql }, atMost)
    expect((await bills.read(['names.parquet'])).kind).toBe('read')
  })

  test('with more currencies than 50, however they are written', async () => {
    const code = `chr(97 + CAST(i // 26 AS INTEGER)) || chr(97 + CAST(i % 26 AS INTEGER)) || 'x'`
    await bills.write('currencies.csv', { BillingCurrency: code }, 51)
    expect(await bills.read(['currencies.csv'])).toMatchObject({
      kind: 'refused',
      errors: [
        {
          file: 'bills/currencies.csv',
          column: 'BillingCurrency',
          message: 'The bill names 51 currencies; at most 50 are read',
        },
      ],
    })
    const twice = `CASE i // 50 WHEN 0 THEN ${code} ELSE upper(${code.replaceAll('i ', '(i % 50) ')}) END`
    await bills.write('currencies.csv', { BillingCurrency: twice }, 100)
    expect((await bills.read(['currencies.csv'])).kind).toBe('read')
  })

  test('with sums that PostgreSQL cannot hold, also where they cancel out', async () => {
    const cost = `CASE WHEN i % 2 = 0 THEN '999999999999999' ELSE '-999999999999999' END`
    await bills.write('sums.csv', { BilledCost: cost }, 1_002)
    expect(await bills.read(['sums.csv'])).toMatchObject({
      kind: 'refused',
      errors: [{ file: 'bills/sums.csv', column: 'BilledCost' }],
    })
    await bills.write('sums.csv', { BilledCost: cost }, 998)
    expect(await bills.read(['sums.csv'])).toMatchObject({
      slices: [{ billed: '0.000000000000' }],
    })
  })
})

test('tags up to their limits are read', async () => {
  const [long, many] = ['long.parquet', 'many.parquet']
  await bills.write(long, {
    Tags: `'{"' || repeat('k', 512) || '": "' || repeat('v', 5000) || '"}'`,
  })
  await bills.write(many, { Tags: `CAST(to_json(map(range(300), range(300))) AS VARCHAR)` })
  expect((await bills.read([long, many])).kind).toBe('read')
})

describe('a bill of many resources', () => {
  const resource = `'/subscriptions/s/' || repeat('group-', 20) || (i // 2)`

  test('has one row for what differs in case alone, wherever its lines are', async () => {
    await bills.write(
      'cases.parquet',
      {
        ProviderName: `'Microsoft'`,
        ResourceId: `CASE WHEN i % 2 = 0 THEN ${resource} ELSE upper(${resource}) END`,
        ResourceName: 'NULL',
        ChargeDescription: `CASE WHEN i % 2 = 0 THEN '' END`,
        BillingPeriodStart: `TIMESTAMP '2026-08-01' + to_months(CAST((i // 2) % 2 AS INTEGER))`,
        ChargePeriodStart: `TIMESTAMP '2026-09-01'`,
        ChargePeriodEnd: `TIMESTAMP '2026-09-02'`,
        BilledCost: '1',
      },
      120_000,
    )
    const answer = await bills.read(['cases.parquet'])
    const half = { rows: 30_000, rowsRead: 60_000, days: 1, billed: '60000.000000000000' }
    expect(answer).toMatchObject({
      slices: [
        { period: '2026-08', ...half },
        { period: '2026-09', ...half },
      ],
    })
    if (answer.kind !== 'read') throw new Error(JSON.stringify(answer))
    for (const { path } of answer.slices) {
      const charges = await bills.charges(path)
      expect(charges.length).toBe(30_000)
      expect(new Set(charges.map((charge) => charge['resource_id'])).size).toBe(30_000)
    }
  })

  test('is read where each of its lines is a charge of its own', async () => {
    await bills.write(
      'many.parquet',
      {
        ResourceId: `'arn:aws:s3:::' || repeat('bucket-', 12) || i`,
        ResourceName: `repeat('bucket-', 12) || i`,
        Tags: `'{"team": "' || (i % 50) || '"}'`,
        ChargePeriodStart: `TIMESTAMP '2026-09-01' + to_hours(CAST(i % 719 AS INTEGER))`,
        ChargePeriodEnd: `TIMESTAMP '2026-09-01' + to_hours(CAST(i % 719 + 1 AS INTEGER))`,
        BilledCost: '1',
      },
      600_000,
    )
    expect(await bills.read(['many.parquet'])).toMatchObject({
      kind: 'read',
      slices: [{ rows: 600_000, days: 30, billed: '600000.000000000000' }],
    })
  })
})
