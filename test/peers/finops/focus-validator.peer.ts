import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chargeColumns } from '../../../domain/finops/focus/charge-columns.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { ingestedBill } from '../../harness/finops/bill-form.ts'
import { hasPython, pythonTools } from '../python-tools.ts'
import { runPeer } from '../run-peer.ts'
import { focusBill } from './focus-bill.ts'

/**
 * Rules that its model of FOCUS 1.2 has wrong: a condition that is inverted, one that is malformed, and one without
 * its condition; and the rules that only add those up.
 */
const wrongRules = [
  'CapacityReservationStatus-C-000-C',
  'CapacityReservationStatus-C-002-C',
  'CapacityReservationStatus-C-004-C',
  'CommitmentDiscountStatus-C-000-C',
  'CommitmentDiscountStatus-C-002-C',
  'CommitmentDiscountStatus-C-004-C',
  'CostAndUsage-D-000-M',
  'CostAndUsage-D-002-M',
  'InvoiceId-C-000-O',
  'InvoiceId-C-003-C',
  'InvoiceId-C-004-C',
]

// The FinOps Foundation's own validator, with the rules that are inside the package: it downloads nothing.
describe.skipIf(!hasPython())('focus-validator reads our export', { timeout: 240_000 }, () => {
  let bin: string
  let harness: Harness
  const folder = mkdtempSync(join(tmpdir(), 'focus-'))
  const place = (name: string) => join(folder, name)
  beforeAll(async () => {
    bin = await pythonTools('focus-validator', [
      // Its metadata asks for Python 3.12, of which it uses one line of syntax (validate-focus.py).
      '--ignore-requires-python',
      'focus-validator==2.2.1',
      'pyarrow<22',
    ])
    harness = await createHarness({ worker: true })
  }, 900_000)
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true })
    await harness?.close()
  })

  /** By the types of FOCUS, which a CSV does not say. A cell that is not of its type fails. */
  const asParquet = async (csv: string, parquet: string) => {
    const database = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect()
    await database.run(`SET TimeZone = 'UTC'`)
    const types = new Map(chargeColumns.map(({ focus, type }) => [focus, type]))
    const [header = ''] = readFileSync(csv, 'utf8').split('\n')
    const columns = header.split(',').map((name) => {
      const type = types.get(name) ?? ''
      if (/^(cost|quantity|price)/.test(type)) return `CAST("${name}" AS DOUBLE) AS "${name}"`
      if (type === 'date' || type === 'timestamptz')
        return `CAST(CAST("${name}" AS TIMESTAMPTZ) AS TIMESTAMP) AS "${name}"`
      return /PeriodStart$|PeriodEnd$/.test(name)
        ? `CAST(CAST("${name}" AS TIMESTAMPTZ) AS TIMESTAMP) AS "${name}"`
        : `"${name}"`
    })
    await database.run(
      `COPY (SELECT ${columns.join(', ')} FROM read_csv('${csv}', all_varchar = true, nullstr = '')) TO '${parquet}' (FORMAT parquet)`,
    )
  }
  const validated = async (parquet: string) => {
    const report = `${parquet}.xml`
    const { code, output } = await runPeer(
      join(bin, 'python3'),
      [
        join(import.meta.dirname, 'validate-focus.py'),
        `--data-file=${parquet}`,
        '--validate-version=1.2',
        '--block-download',
        '--applicability-criteria=ALL',
        '--output-type=unittest',
        `--output-destination=${report}`,
      ],
      { env: { LOG_LEVEL: 'ERROR' } },
    )
    if (!existsSync(report)) throw new Error(`it ended with ${code}: ${output}`)
    const xml = readFileSync(report, 'utf8')
    const failed = [...xml.matchAll(/<failure name="([^"]+)" message="([^"]*)"/g)]
    const [, tests = '', failures = '', skipped = ''] =
      /tests="(\d+)" failures="(\d+)" errors="\d+" skipped="(\d+)"/.exec(xml) ?? []
    expect(code === 0 || failed.length > 0, output).toBe(true)
    return {
      passed: Number(tests) - Number(failures) - Number(skipped),
      failed: failed.map(([, name = '', message = '']) => ({
        name: name.split(' ')[0] ?? '',
        message,
      })),
    }
  }

  test('0 failures outside of the rules that the model has wrong', async () => {
    const owner = await (await harness.organization()).user('Owner')
    const bill = focusBill()
    const ingest = await ingestedBill(owner, 'example', [{ name: 'bill.csv', content: bill.csv }])
    expect(ingest).toMatchObject({ state: 'succeeded', rowsRead: bill.lines })
    const answer = await owner.get('/api/finops/export?from=2026-10-01&to=2026-10-31')
    expect(answer.statusCode, answer.body).toBe(200)
    writeFileSync(place('export.csv'), answer.body)
    await asParquet(place('export.csv'), place('export.parquet'))
    const { passed, failed } = await validated(place('export.parquet'))
    expect(failed.filter(({ name }) => !wrongRules.includes(name))).toEqual([])
    expect(passed).toBeGreaterThan(340)

    // A rule that is broken is found.
    writeFileSync(place('broken.csv'), answer.body.replaceAll('Example Cloud', ''))
    await asParquet(place('broken.csv'), place('broken.parquet'))
    const broken = await validated(place('broken.parquet'))
    expect(broken.failed.map(({ name }) => name)).toContain('ProviderName-C-003-M')
  })
})
