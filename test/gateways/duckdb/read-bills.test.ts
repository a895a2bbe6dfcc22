import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { copyColumns } from '../../../domain/finops/focus/charge-columns.ts'
import { billFolder, type BillFolder } from './bills.ts'

let bills: BillFolder
beforeAll(async () => {
  bills = await billFolder()
})
afterAll(async () => bills.close())

const sliceOf = async (names: readonly string[]) => {
  const answer = await bills.read(names)
  if (answer.kind !== 'read') throw new Error(JSON.stringify(answer.errors))
  const [slice] = answer.slices
  if (!slice) throw new Error('There is no slice')
  return { ...answer, slice }
}

/** What DuckDB sums of the source itself. */
const sumOf = (from: string, column: string, where = 'true') =>
  bills
    .rows(
      `SELECT CAST(sum(CAST(${column} AS DECIMAL(38, 12))) AS VARCHAR) AS s FROM ${from} WHERE ${where}`,
    )
    .then(([row]) => row?.['s'])

describe('a bill becomes charges at day grain', () => {
  test.each(['sums.parquet', 'sums.csv', 'sums.csv.gz'])(
    'sums equal DuckDB’s: %s',
    async (name) => {
      const path = await bills.write(name, {}, 1_000)
      const { slice } = await sliceOf([name])

      expect(slice).toMatchObject({ period: '2026-09', rowsRead: 1_000, days: 21, currency: 'USD' })
      expect(slice.billed).toBe(await sumOf(`'${path}'`, 'BilledCost'))
      expect(slice.effective).toBe(await sumOf(`'${path}'`, 'EffectiveCost'))
      expect(slice.list).toBe(await sumOf(`'${path}'`, 'ListCost'))
      const charges = await bills.charges(slice.path)
      expect(charges).toHaveLength(slice.rows)
      // Two resources on each of 21 days.
      expect(slice.rows).toBe(42)
      for (const { day, resource_id: resource, billed_cost: billed } of charges)
        expect(billed).toBe(
          await sumOf(
            `'${path}'`,
            'BilledCost',
            `CAST(ChargePeriodStart AS DATE) = '${day}' AND ResourceId = '${resource}'`,
          ),
        )
    },
  )

  test('equal rows both count', async () => {
    await bills.write(
      'equal.parquet',
      { ChargePeriodStart: `TIMESTAMP '2026-09-03'`, BilledCost: '1.5', ResourceId: `'i-1'` },
      2,
    )
    const { slice } = await sliceOf(['equal.parquet'])
    expect(slice).toMatchObject({ rows: 1, rowsRead: 2, billed: '3.000000000000' })
  })

  test('lines of one day in two files are one row', async () => {
    await bills.write('part-1.parquet')
    await bills.write('part-2.csv.gz')
    const { slice } = await sliceOf(['part-1.parquet', 'part-2.csv.gz'])
    const { slice: alone } = await sliceOf(['part-1.parquet'])
    expect(slice).toMatchObject({ rows: alone.rows, rowsRead: 96 })
    expect(Number(slice.billed)).toBeCloseTo(2 * Number(alone.billed))
  })

  test('each billing period has a file of its own; without one it is the month of the charge', async () => {
    const columns = {
      BillingPeriodStart: null,
      ChargePeriodStart: `TIMESTAMP '2026-08-31 23:00:00' + to_hours(CAST(i AS INTEGER))`,
    }
    await bills.write('months.parquet', columns, 3)
    const answer = await bills.read(['months.parquet'])
    if (answer.kind !== 'read') throw new Error('It is refused')
    expect(answer.slices).toMatchObject([
      { period: '2026-08', rowsRead: 1, firstDay: '2026-08-31', lastDay: '2026-08-31' },
      { period: '2026-09', rowsRead: 2, firstDay: '2026-09-01', lastDay: '2026-09-01' },
    ])
    const [charge] = await bills.charges(answer.slices[0]?.path ?? '')
    expect(charge?.['day']).toBe('2026-08-31')
  })

  test('a digest names a row by all that is in it, and stays the same', async () => {
    await bills.write('digest.csv')
    const read = async () => bills.charges((await sliceOf(['digest.csv'])).slice.path)
    const [first, again] = [await read(), await read()]
    const digests = first.map(({ digest }) => digest)
    expect(new Set(digests).size).toBe(first.length)
    expect(new Set(again.map(({ digest }) => digest))).toEqual(new Set(digests))
    const [row] = first
    const text = copyColumns
      .filter((column) => column !== 'digest')
      .map((column) => row?.[column] ?? '\u0002')
      .join('\u0001')
    expect(row?.['digest']).toBe(createHash('md5').update(text).digest('hex'))

    await bills.write('digest.csv', { BilledCost: 'CASE i WHEN 0 THEN 9 ELSE 0.1 * (i + 1) END' })
    const changed = await read()
    expect(changed.filter(({ digest }) => !digests.includes(digest ?? ''))).toHaveLength(1)
  })

  test('two currencies are kept apart, and the slice has none', async () => {
    await bills.write('two.csv', { BillingCurrency: `CASE WHEN i < 24 THEN 'USD' ELSE 'EUR' END` })
    const { slice } = await sliceOf(['two.csv'])
    expect(slice.currency).toBeNull()
    const charges = await bills.charges(slice.path)
    expect(new Set(charges.map((charge) => charge['billing_currency']))).toEqual(
      new Set(['USD', 'EUR']),
    )
  })

  test('costs of 0, -1, 1e12 and 1e-10 are exact', async () => {
    const costs = { BilledCost: `['0', '-1', '1e12', '1e-10'][i + 1]`, ResourceId: `'i-' || i` }
    await bills.write('costs.csv', costs, 4)
    const { slice } = await sliceOf(['costs.csv'])
    expect(slice.billed).toBe('999999999999.000000000100')
  })
})

test('a plain process reads the same, as the sandbox of a developer’s machine', async () => {
  const plain = await billFolder('process')
  try {
    await plain.write('plain.csv.gz')
    expect(await plain.read(['plain.csv.gz'])).toMatchObject({
      kind: 'read',
      slices: [{ rowsRead: 48, rows: 2 }],
    })
  } finally {
    await plain.close()
  }
})
