import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { copyColumns } from '../../../domain/finops/focus/charge-columns.ts'
import { createBillReader } from '../../../gateways/duckdb/create-bill-reader.ts'
import type { ReadLimits, ReadRequest } from '../../../gateways/duckdb/read-bills.ts'
import { findCommand } from '../../../gateways/sandbox/find-command.ts'

/** What a test asks in its own way. */
type Own = Omit<Partial<ReadRequest>, 'limits'> & { limits?: Partial<ReadLimits> }
type Answer = Awaited<ReturnType<Awaited<ReturnType<typeof createBillReader>>['readBills']>>
export type Row = Record<string, string | null>

/** A folder with the reader in its sandbox, and DuckDB as oracle over the same files. */
export async function billFolder(kind?: 'bubblewrap' | 'process') {
  const folder = mkdtempSync(join(tmpdir(), 'cc-bills-'))
  const warned: unknown[] = []
  const reader = await createBillReader(
    {
      sandbox: kind ?? (findCommand('bwrap') ? 'bubblewrap' : 'process'),
      dataDir: folder,
      production: false,
      apiUrl: 'http://127.0.0.1:9',
    },
    { slots: 2, log: { info: () => undefined, warn: (fields: unknown) => warned.push(fields) } },
  )
  const oracle = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect()
  await oracle.run(`SET TimeZone = 'UTC'`)
  const rows = async (sql: string): Promise<Row[]> =>
    (await oracle.runAndReadAll(sql)).getRowObjectsJson() as Row[]

  return {
    warned,
    reader,
    rows,
    path: (name: string) => join(folder, name),
    /** Writes a bill: the usual columns of a line `i` of `lines`, some of them replaced or (null) left out. */
    async write(name: string, columns: Record<string, string | null> = {}, lines = 48) {
      const all = Object.entries({ ...usualColumns, ...columns }).filter(([, sql]) => sql !== null)
      const select = all.map(([column, sql]) => `${sql} AS "${column}"`).join(', ')
      const format = name.endsWith('.parquet')
        ? 'FORMAT parquet'
        : `FORMAT csv, COMPRESSION ${name.endsWith('.gz') ? 'gzip' : 'none'}`
      await oracle.run(
        `COPY (SELECT ${select} FROM range(${lines}) t(i)) TO '${join(folder, name)}' (${format})`,
      )
      return join(folder, name)
    },
    async read(names: readonly string[], request: Own = {}): Promise<Answer> {
      return reader.readBills({
        files: names.map((name) => ({ path: join(folder, name), key: `bills/${name}` })),
        tagAliases: {},
        outFolder: folder,
        ...request,
        limits: { bytes: 1024 ** 3, ...request.limits },
      })
    },
    /** The rows of a file for COPY. */
    async charges(path: string): Promise<Row[]> {
      const columns = copyColumns.map((column) => `'${column}': 'VARCHAR'`).join(', ')
      return rows(
        `SELECT * FROM read_csv('${path}', auto_detect = false, header = false, delim = ',', quote = '"',
           escape = '"', nullstr = '', allow_quoted_nulls = false, columns = {${columns}})`,
      )
    },
    async close() {
      await reader.close()
      await rm(folder, { recursive: true, force: true })
      // Only its own: named after the data directory, which was new.
      if (basename(reader.workDir) !== '')
        await rm(reader.workDir, { recursive: true, force: true })
    },
  }
}

export type BillFolder = Awaited<ReturnType<typeof billFolder>>

/** Two resources a line in turn, an hour a pair of lines from 1 September 2026. */
const usualColumns: Record<string, string> = {
  BilledCost: '0.1 * (i + 1)',
  EffectiveCost: '0.09 * (i + 1)',
  ListCost: '0.12 * (i + 1)',
  ContractedCost: '0.1 * (i + 1)',
  BillingCurrency: `'USD'`,
  BillingAccountId: `'123456789012'`,
  BillingPeriodStart: `TIMESTAMP '2026-09-01'`,
  BillingPeriodEnd: `TIMESTAMP '2026-10-01'`,
  ChargePeriodStart: `TIMESTAMP '2026-09-01' + to_hours(CAST(i // 2 AS INTEGER))`,
  ChargePeriodEnd: `TIMESTAMP '2026-09-01' + to_hours(CAST(i // 2 AS INTEGER) + 1)`,
  ChargeCategory: `'Usage'`,
  ProviderName: `'AWS'`,
  ServiceName: `'Amazon Elastic Compute Cloud'`,
  ResourceId: `'i-' || (i % 2)`,
  PricingQuantity: '1.0::DOUBLE',
  Tags: `'{"env": "prod"}'`,
}
