import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { billFolder, type BillFolder, type Row } from './bills.ts'

let bills: BillFolder
beforeAll(async () => {
  bills = await billFolder()
})
afterAll(async () => bills.close())

const chargesIn = async (names: readonly string[]): Promise<Row[]> => {
  const answer = await bills.read(names)
  if (answer.kind !== 'read') throw new Error(JSON.stringify(answer.errors))
  return (await Promise.all(answer.slices.map(async ({ path }) => bills.charges(path)))).flat()
}
const chargesOf = async (name: string, columns: Record<string, string | null>, lines = 2) => {
  await bills.write(name, { ChargePeriodStart: `TIMESTAMP '2026-09-03'`, ...columns }, lines)
  return chargesIn([name])
}
const errorsOf = async (names: readonly string[]) => {
  const answer = await bills.read(names)
  if (answer.kind !== 'refused') throw new Error('The bill was read')
  return answer.errors
}
const tagsOf = (row: Row | undefined): unknown => JSON.parse(row?.['tags'] ?? 'null')

describe('names of columns', () => {
  const oracle = {
    ProviderName: null,
    Provider: `'Oracle'`,
    Publisher: `'Oracle Marketplace'`,
    InvoiceIssuer: `'Oracle Corporation'`,
    Region: `'us-ashburn-1'`,
    UsageQuantity: '2',
    UsageUnit: `'HOUR'`,
    oci_CompartmentName: `'root'`,
  }

  test.each(['oracle.csv', 'oracle.parquet'])(
    'of Oracle’s report, those before 1.0, are read: %s',
    async (name) => {
      const [row] = await chargesOf(name, { ...oracle, ResourceId: `'i'` })
      expect(row).toMatchObject({
        provider: 'oci',
        provider_name: 'Oracle',
        publisher_name: 'Oracle Marketplace',
        invoice_issuer_name: 'Oracle Corporation',
        region_id: 'us-ashburn-1',
        consumed_quantity: '4.000000000000000',
        consumed_unit: 'HOUR',
      })
      expect(JSON.parse(row?.['extra'] ?? '')).toEqual({ oci_CompartmentName: 'root' })
    },
  )

  test('that are old count only where the new one is missing', async () => {
    const columns = { Provider: `'other'`, RegionId: `'r-1'`, Region: `'Region One'` }
    const [row] = await chargesOf('both.csv', columns)
    expect(row).toMatchObject({ provider_name: 'AWS', region_id: 'r-1' })
    expect(JSON.parse(row?.['extra'] ?? '')).toEqual({ Provider: 'other', Region: 'Region One' })
  })

  test('in a refusal are those of the file', async () => {
    const UsageQuantity = `CASE i WHEN 3 THEN 'many' ELSE '1' END`
    await bills.write('many.csv', { ...oracle, UsageQuantity }, 8)
    expect(await errorsOf(['many.csv'])).toMatchObject([{ row: 4, column: 'UsageQuantity' }])
    await bills.write('many.parquet', { ...oracle, UsageQuantity: 'true' })
    expect(await errorsOf(['many.parquet'])).toMatchObject([{ column: 'UsageQuantity' }])
  })

  test.each([
    ['lower case', (name: string) => name.toLowerCase()],
    ['upper case', (name: string) => name.toUpperCase()],
    ['blanks around them', (name: string) => ` ${name} `],
  ])('in %s are the same', async (_, spell) => {
    const path = await bills.write('plain.csv')
    const [header = '', ...lines] = readFileSync(path, 'utf8').split('\n')
    const names = header.split(',').map(spell)
    writeFileSync(bills.path('spelled.csv'), [names.join(','), ...lines].join('\n'))
    const expected = await chargesIn(['plain.csv'])
    expect(await chargesIn(['spelled.csv'])).toEqual(expected)

    const renamed = header.split(',').map((name) => `"${name}" AS "${spell(name)}"`)
    await bills.write('plain.parquet')
    await bills.rows(
      `COPY (SELECT ${renamed.join(', ')} FROM '${bills.path('plain.parquet')}') TO '${bills.path('spelled.parquet')}' (FORMAT parquet)`,
    )
    expect(await chargesIn(['spelled.parquet'])).toEqual(await chargesIn(['plain.parquet']))
  })

  test('that are none of FOCUS’s are named, even where all are', async () => {
    const path = await bills.write('plain.csv')
    const [header = '', ...lines] = readFileSync(path, 'utf8').split('\n')
    const snake = header.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()
    writeFileSync(bills.path('snake.csv'), [snake, ...lines].join('\n'))
    expect(await errorsOf(['snake.csv'])).toContainEqual({
      file: 'bills/snake.csv',
      row: null,
      column: 'BilledCost',
      message: 'The column is missing; "billed_cost" is not its name',
    })
  })

  test('that differ in blanks alone are there twice', async () => {
    await bills.write('twice.csv', { ' billedcost': '1' })
    expect(await errorsOf(['twice.csv'])).toMatchObject([{ message: 'The column is there twice' }])
  })
})

describe('tags of Google’s FOCUS table', () => {
  const pair = (key: string, value: string) =>
    `{'Key': '${key}', 'Value': '${value}', 'x_Inherited': false}`
  const google = {
    Tags: null,
    ProviderName: `'Google Cloud'`,
    x_Tags: `[${pair('team', 'z')}]`,
    x_Labels: `[${pair('team', 'a')}, ${pair('env', 'prod')}]`,
    x_ProjectLabels: `[${pair('env', 'dev')}, ${pair('cost', '1]')}]`,
    x_SystemLabels: `[${pair('cores', '2')}]`,
  }

  test.each(['google.parquet', 'google.csv'])(
    'are x_Tags, then x_Labels, then x_ProjectLabels, and no extras: %s',
    async (name) => {
      const columns = Object.entries(google).map(([column, sql]) => [
        column,
        name.endsWith('.csv') && sql?.startsWith('[') ? `to_json(${sql})` : sql,
      ])
      const [row] = await chargesOf(name, Object.fromEntries(columns))
      expect(tagsOf(row)).toEqual({ team: 'z', env: 'prod', cost: '1]' })
      expect(Object.keys(JSON.parse(row?.['extra'] ?? ''))).toEqual(['x_SystemLabels'])
    },
  )

  test('are read where some of them are empty, null or objects', async () => {
    const columns = { ...google, x_ProjectLabels: `map {'cost': 'x'}`, ResourceId: `'i'` }
    const x_Tags = `CASE i WHEN 0 THEN '[]' WHEN 1 THEN NULL WHEN 2 THEN 'null' ELSE '' END`
    const rows = await chargesOf('some.parquet', { ...columns, x_Tags }, 4)
    expect(new Set(rows.map((row) => row['tags']))).toEqual(
      new Set(['{"cost":"x","env":"prod","team":"a"}']),
    )
    const none = { x_Tags, x_Labels: `'[]'`, x_ProjectLabels: `'null'` }
    const [row] = await chargesOf('none.csv', { ...google, ...none }, 4)
    expect(row?.['tags']).toBeNull()
  })

  test('are in none of it where the file has Tags', async () => {
    const [row] = await chargesOf('view.parquet', { ...google, Tags: `[${pair('only', '1')}]` })
    expect(tagsOf(row)).toEqual({ only: '1' })
  })

  test('are refused by row where they are broken', async () => {
    const x_Tags = `CASE i WHEN 4 THEN '[{"Key": ' ELSE '[]' END`
    await bills.write('broken.csv', { ...google, x_Tags, x_Labels: `'[]'`, x_ProjectLabels: null })
    expect(await errorsOf(['broken.csv'])).toMatchObject([{ row: 5, column: 'Tags' }])
  })
})

describe('values that FOCUS lists', () => {
  test('are stored as FOCUS spells them, however they are written', async () => {
    const columns = {
      ChargeCategory: `['usage', ' Usage ', 'USAGE', 'Usage'][i + 1]`,
      ChargeClass: `'correction'`,
      ChargeFrequency: `'usage-based'`,
      PricingCategory: `' committed'`,
      CommitmentDiscountStatus: `'unused'`,
      ResourceId: `'i'`,
    }
    const rows = await chargesOf('spelled-values.csv', columns, 4)
    expect(rows).toHaveLength(1)
    expect(rows[0]).toMatchObject({
      charge_category: 'Usage',
      charge_class: 'Correction',
      charge_frequency: 'Usage-Based',
      pricing_category: 'Committed',
      commitment_discount_status: 'Unused',
    })
  })

  test('and others are as they are, but for a category', async () => {
    const columns = { ChargeClass: `' '`, PricingCategory: `'on-demand'` }
    const [row] = await chargesOf('other-values.parquet', columns)
    expect(row).toMatchObject({ charge_class: null, pricing_category: 'on-demand' })
    await bills.write('other.csv', { ChargeCategory: `CASE i WHEN 2 THEN 'used' ELSE 'tax' END` })
    expect(await errorsOf(['other.csv'])).toMatchObject([{ row: 3, column: 'ChargeCategory' }])
  })
})

describe('parts of a bill without a byte', () => {
  test('have no lines, where others have some', async () => {
    await bills.write('full.csv')
    await bills.write('full.parquet')
    writeFileSync(bills.path('empty.parquet'), '')
    writeFileSync(bills.path('empty.csv.gz'), gzipSync(''))
    const names = ['empty.parquet', 'full.csv', 'empty.csv.gz', 'full.parquet']
    expect(await bills.read(names)).toMatchObject({ kind: 'read', slices: [{ rowsRead: 96 }] })
    expect(await errorsOf(['empty.csv.gz', 'empty.parquet'])).toMatchObject([
      { file: 'bills/empty.csv.gz', message: 'The file is empty' },
    ])
  })

  test('leave the names of the others as they are', async () => {
    copyFileSync(await bills.write('bad.csv', { BilledCost: `'x'` }, 1), bills.path('bad-2.csv'))
    writeFileSync(bills.path('empty.csv'), '')
    expect(await errorsOf(['empty.csv', 'bad-2.csv'])).toMatchObject([
      { file: 'bills/bad-2.csv', row: 1 },
    ])
  })
})

describe('values that say nothing or are no numbers', () => {
  test.each([
    ['ProviderName', `'  '`, 'The line names no provider'],
    ['BillingCurrency', `'  '`, '"  " is not a currency'],
    ['BilledCost', `'1_000'`, '"1_000" is not a number that a bill can hold'],
    ['ConsumedQuantity', `'1_0.5'`, '"1_0.5" is not a number that a bill can hold'],
  ])('refused: %s is %s', async (column, value, message) => {
    const other = column === 'BilledCost' || column === 'ConsumedQuantity' ? `'1'` : `'USD'`
    const name = `${column}.csv`
    await bills.write(name, { [column]: `CASE i WHEN 1 THEN ${value} ELSE ${other} END` }, 3)
    expect(await errorsOf([name])).toMatchObject([{ row: 2, column, message }])
  })

  test('a service of blanks is the publisher, or Unknown', async () => {
    const blank = { ServiceName: `'  '` }
    const [published] = await chargesOf('blank.csv', { ...blank, PublisherName: `'Datadog'` })
    expect(published?.['service_name']).toBe('Datadog')
    const [unknown] = await chargesOf('unknown.csv', { ...blank, PublisherName: null })
    expect(unknown?.['service_name']).toBe('Unknown')
  })
})
