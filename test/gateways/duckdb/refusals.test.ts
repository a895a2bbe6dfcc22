import { readFile, writeFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { billFolder, type BillFolder } from './bills.ts'

let bills: BillFolder
beforeAll(async () => {
  bills = await billFolder()
})
afterAll(async () => bills.close())

const refusal = async (names: readonly string[]) => {
  const answer = await bills.read(names)
  if (answer.kind !== 'refused') throw new Error('The bill was read')
  return answer
}

describe('a bill that cannot be read names file, row and column', () => {
  test.each(['twelve.parquet', 'twelve.csv.gz'])('`twelve` in row 41: %s', async (name) => {
    await bills.write(name, { BilledCost: `CASE WHEN i = 40 THEN 'twelve' ELSE '1.5' END` })
    expect(await refusal([name])).toEqual({
      kind: 'refused',
      rejected: 1,
      errors: [
        {
          file: `bills/${name}`,
          row: 41,
          column: 'BilledCost',
          message: '"twelve" is not a number that a bill can hold',
        },
      ],
    })
  })

  test('the first ten places and the count of bad rows, of all files', async () => {
    await bills.write('good.csv')
    await bills.write('bad.csv', { EffectiveCost: `CASE WHEN i >= 5 THEN '?' ELSE '1' END` }, 30)
    const { rejected, errors } = await refusal(['good.csv', 'bad.csv'])
    expect(rejected).toBe(25)
    expect(errors.map(({ row }) => row)).toEqual([6, 7, 8, 9, 10, 11, 12, 13, 14, 15])
    expect(errors.every(({ file }) => file === 'bills/bad.csv')).toBe(true)
  })

  test.each([
    ['BilledCost', `'NaN'::DOUBLE`],
    ['EffectiveCost', `'infinity'::DOUBLE`],
    ['ListCost', `'NaN'::DOUBLE`],
    ['BilledCost', `1e30::DOUBLE`],
    ['BilledCost', 'CAST(NULL AS DOUBLE)'],
    ['PricingQuantity', `'-infinity'::DOUBLE`],
    ['ChargePeriodStart', 'CAST(NULL AS TIMESTAMP)'],
    ['ChargePeriodStart', `TIMESTAMP '1026-09-01'`],
    ['BillingPeriodStart', `TIMESTAMP 'infinity'`],
    ['BillingPeriodStart', `TIMESTAMP '2100-01-01'`],
    ['BillingPeriodStart', `CAST(current_date + INTERVAL 25 MONTH AS TIMESTAMP)`],
    ['ChargePeriodStart', `CAST(current_date + INTERVAL 25 MONTH AS TIMESTAMP)`],
    ['ChargeCategory', `'used'`],
    ['BillingCurrency', `''`],
    ['ProviderName', `''`],
    ['Tags', `'{"env": '`],
    ['Tags', `'[1, 2]'`],
    ['Tags', `'{"' || repeat('é', 513) || '": "1"}'`],
    ['Tags', `'{"a": "' || repeat('é', 5001) || '"}'`],
    ['Tags', `'[{"key": "a", "value": "' || repeat('é', 5001) || '"}]'`],
    ['Tags', `CAST(to_json(map(range(1001), range(1001))) AS VARCHAR)`],
    ['ServiceName', `repeat('é', 1025)`],
    ['SubAccountId', `repeat('a', 2049)`],
    ['SubAccountName', `repeat('a', 2049)`],
    ['RegionId', `repeat('a', 2049)`],
    ['ProviderName', `repeat('a', 2049)`],
    ['ResourceId', `repeat('é', 1025)`],
    ['ResourceName', `repeat('a', 2049)`],
    ['CommitmentDiscountId', `repeat('a', 2049)`],
    ['CommitmentDiscountName', `repeat('a', 2049)`],
    ['CommitmentDiscountType', `repeat('a', 2049)`],
    ['CommitmentDiscountCategory', `repeat('a', 2049)`],
    ['Tags', `'[{"value": "prod"}]'`],
  ])('%s of %s', async (column, sql) => {
    const usual = {
      BilledCost: '0.1::DOUBLE',
      ChargePeriodStart: `TIMESTAMP '2026-09-02'`,
      BillingPeriodStart: `TIMESTAMP '2026-09-01'`,
      ChargeCategory: `'Usage'`,
      BillingCurrency: `'USD'`,
      ProviderName: `'AWS'`,
      ServiceName: `'Compute'`,
      SubAccountId: `'1'`,
      SubAccountName: `'production'`,
      RegionId: 'NULL',
      ResourceId: `'i-1'`,
      ResourceName: 'NULL',
      CommitmentDiscountId: `'sp-1'`,
      CommitmentDiscountName: 'NULL',
      CommitmentDiscountType: 'NULL',
      CommitmentDiscountCategory: 'NULL',
      Tags: 'NULL',
    }
    const otherwise = column in usual ? usual[column as keyof typeof usual] : '1::DOUBLE'
    await bills.write('one.parquet', {
      [column]: `CASE WHEN i = 7 THEN ${sql} ELSE ${otherwise} END`,
    })
    const { rejected, errors } = await refusal(['one.parquet'])
    expect(rejected).toBe(1)
    expect(errors).toMatchObject([{ file: 'bills/one.parquet', row: 8, column }])
  })

  test('a row with a column too few', async () => {
    const path = await bills.write('short.csv')
    const lines = (await readFile(path, 'utf8')).split('\n')
    lines[20] = (lines[20] ?? '').replace(',', '')
    await writeFile(path, lines.join('\n'))
    const { errors } = await refusal(['short.csv'])
    expect(errors).toEqual([
      {
        file: 'bills/short.csv',
        row: 20,
        column: null,
        message: 'The row has 15 columns, and the header 16',
      },
    ])
  })

  test('a bad row that quotes a full disk', async () => {
    const path = await bills.write('quoting.csv', {
      x_Text: `'No space left on device: Disk quota exceeded'`,
    })
    const lines = (await readFile(path, 'utf8')).split('\n')
    lines[20] = (lines[20] ?? '').replace(',', '')
    await writeFile(path, lines.join('\n'))
    expect((await refusal(['quoting.csv'])).errors).toMatchObject([
      { file: 'bills/quoting.csv', row: 20, column: null },
    ])
  })
})

describe('a bill without what each has', () => {
  test('a column is gone, or has another name', async () => {
    await bills.write('gone.csv', { BilledCost: null, billed_cost: '1', ChargeCategory: null })
    const { errors } = await refusal(['gone.csv'])
    expect(errors).toEqual([
      {
        file: 'bills/gone.csv',
        row: null,
        column: 'BilledCost',
        message: 'The column is missing; "billed_cost" is not its name',
      },
      {
        file: 'bills/gone.csv',
        row: null,
        column: 'ChargeCategory',
        message: 'The column is missing',
      },
    ])
  })

  test('a column is of another type', async () => {
    await bills.write('typed.parquet', { BilledCost: 'true', ChargePeriodStart: 'i' })
    const { errors } = await refusal(['typed.parquet'])
    expect(errors.map(({ column, message }) => `${column}: ${message}`)).toEqual([
      'BilledCost: The column is of type BOOLEAN, which is not a number',
      'ChargePeriodStart: The column is of type BIGINT, which is not a time',
    ])
  })

  test('a required column has nothing but nulls of another type', async () => {
    await bills.write('null.parquet', { BilledCost: 'NULL::BOOLEAN' })
    expect((await refusal(['null.parquet'])).errors).toMatchObject([
      { column: 'BilledCost', message: 'The column is of type BOOLEAN, which is not a number' },
    ])
  })

  test('a decimal has more digits than DuckDB reads without a fault', async () => {
    const cost = '1.5::DECIMAL(38, 12)'
    const columns = { BilledCost: cost, ListCost: cost, x_Cost: cost }
    await bills.write('long.parquet', columns)
    expect(await bills.read(['long.parquet'])).toMatchObject({ kind: 'read' })
    // DuckDB writes none of them. In the footer, scale 12 and precision 38 become scale 12 and precision 50 (thrift).
    const bytes = await readFile(await bills.write('long.parquet', columns))
    const [written, longer] = [Buffer.from('1518154c', 'hex'), Buffer.from('15181564', 'hex')]
    for (let at = bytes.indexOf(written); at >= 0; at = bytes.indexOf(written, at))
      longer.copy(bytes, at)
    await writeFile(bills.path('long.parquet'), bytes)
    const message =
      'The column is of type DECIMAL(50, 12), and at most 38 digits are read: write it as DECIMAL(38, …) or as text'
    expect((await refusal(['long.parquet'])).errors).toEqual(
      ['BilledCost', 'ListCost'].map((column) => ({
        file: 'bills/long.parquet',
        row: null,
        column,
        message,
      })),
    )
  })

  test('a Cost and Usage Report is told how to become FOCUS', async () => {
    await writeFile(bills.path('cur.csv'), 'identity/LineItemId,lineItem/UnblendedCost\na,1\n')
    const { errors } = await refusal(['cur.csv'])
    expect(errors[0]?.message).toMatch(/Cost and Usage Report.*Data Exports.*FOCUS/)
  })

  test('any other table says that it is no FOCUS', async () => {
    await writeFile(bills.path('other.csv'), 'a,b\n1,2\n')
    expect((await refusal(['other.csv'])).errors[0]?.message).toMatch(/no FOCUS bill/)
  })
})

describe('a file that is not whole', () => {
  test('gzip that was cut off, wherever', async () => {
    const path = await bills.write('cut.csv.gz', {}, 5_000)
    const whole = await readFile(path)
    for (const share of [0.2, 0.6, 0.95]) {
      await writeFile(path, whole.subarray(0, Math.floor(whole.length * share)))
      expect((await refusal(['cut.csv.gz'])).errors).toMatchObject([
        { file: 'bills/cut.csv.gz', message: expect.stringContaining('ends in the middle') },
      ])
    }
  })

  test('gzip that is cut off between two rows, which reads as a shorter bill', async () => {
    const path = await bills.write('plain.csv', {}, 100)
    const text = await readFile(path, 'utf8')
    const end = text.indexOf('\n', text.length / 2) + 1
    // The end of a deflate stream and its checksum are what is missing.
    const cut = gzipSync(text.slice(0, end)).subarray(0, -8)
    await writeFile(bills.path('rows.csv.gz'), cut)
    expect((await refusal(['rows.csv.gz'])).errors[0]?.message).toMatch(/ends in the middle/)
  })

  test('gzip of many small members is read to its end', async () => {
    const path = await bills.write('members.csv', {}, 1_000)
    const lines = (await readFile(path, 'utf8')).split('\n').slice(0, -1)
    const members = lines.map((line) => gzipSync(`${line}\n`))
    await writeFile(bills.path('members.csv.gz'), Buffer.concat(members))
    expect(await bills.read(['members.csv.gz'])).toMatchObject({
      kind: 'read',
      slices: [{ rowsRead: 1_000 }],
    })
  })

  test('gzip with a flipped byte', async () => {
    const path = await bills.write('flip.csv.gz', {}, 5_000)
    const bytes = await readFile(path)
    bytes[bytes.length - 6]! ^= 0x55
    await writeFile(path, bytes)
    expect((await refusal(['flip.csv.gz'])).errors[0]?.message).toMatch(/damaged/)
  })

  test.each([
    ['CRLF after the header alone', (text: string) => text.replace('\n', '\r\n')],
    ['LF after the header alone', (text: string) => text.replaceAll('"\n', '"\r\n')],
    ['CR after a row', (text: string) => text.replace('"\n', '"\r')],
    ['CR alone', (text: string) => text.replaceAll('\n', '\r')],
  ])('CSV with %s is told to be saved again', async (_, change) => {
    const text = await readFile(await bills.write('ends.csv', { x_Text: `'a\nb'` }, 12), 'utf8')
    await writeFile(bills.path('changed.csv.gz'), gzipSync(change(text)))
    const { errors } = await refusal(['changed.csv.gz'])
    expect(errors[0]?.message).toMatch(/^The rows end in .*different ways.*; save the file again/)
    // An end in quotes is text.
    const same = text.replace('\n', '\r\n').replaceAll('"\n', '"\r\n')
    await writeFile(bills.path('same.csv'), same)
    expect(await bills.read(['same.csv'])).toMatchObject({ kind: 'read' })
  })

  test('Parquet that was cut off, and an empty file', async () => {
    const path = await bills.write('cut.parquet')
    const whole = await readFile(path)
    await writeFile(path, whole.subarray(0, whole.length - 100))
    await writeFile(bills.path('empty.csv'), '')
    expect((await refusal(['cut.parquet'])).errors).toMatchObject([
      { file: 'bills/cut.parquet', row: null, message: expect.stringContaining('cannot be read') },
    ])
    expect((await refusal(['empty.csv'])).errors[0]?.message).toBe('The file is empty')
  })
})
