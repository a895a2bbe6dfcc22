import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBillReader, type BillReader } from '../gateways/duckdb/create-bill-reader.ts'
import { startTestEngines } from '../test/setup/engines.ts'
import { benchConfig } from './config.ts'
import { median, table } from './figures.ts'
import { copyBare, groupBare } from './ingest/bare-load.ts'
import { askMeanwhile, openLoads } from './ingest/real-load.ts'
import { startApi } from './start-api.ts'
import { bareDuckDb, makeBill } from './ingest/make-bill.ts'
import { watchMemory } from './ingest/watch-memory.ts'

const lines = Math.round(1_000_000 * benchConfig.scale)
const rounds = benchConfig.rounds(3)
const limits = {
  share: 0.6,
  csvRowsPerSecond: 80_000,
  readerBytes: 1024 ** 3,
  heapBytes: 200e6,
  waitMs: 100,
}

/**
 * A month of hourly FOCUS (1 M lines × 59 columns; BENCH_SCALE=10 for 10 M) from the disk to what readers see, by the
 * reader of bills, the load and the swap, beside DuckDB's own grouping and a raw COPY of its rows. Then the same month
 * once more in the first one's place, and the reader on the same bill as gzip CSV.
 */
export async function ingestSuite(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'cc-bench-ingest-'))
  const engines = await startTestEngines({ temporal: false })
  const reader = await createBillReader(
    { sandbox: 'bubblewrap', dataDir: folder, production: false, apiUrl: 'http://127.0.0.1:9' },
    { slots: 1, log: { info: () => undefined, warn: console.log } },
  )
  try {
    const at = { databaseUrl: engines.databaseUrl, name: 'bench_ingest', dataDir: folder }
    const api = await startApi(at, { pipelines: 1, runs: 1, people: 1, entries: 1 })
    const loads = await openLoads(api)
    try {
      return await measure({ folder, reader, api, loads, databaseUrl: engines.databaseUrl })
    } finally {
      await loads.close()
      await api.stop()
    }
  } finally {
    await reader.close()
    await engines.stop()
    rmSync(folder, { recursive: true, force: true })
    rmSync(reader.workDir, { recursive: true, force: true })
  }
}

type Place = {
  folder: string
  reader: BillReader
  api: Awaited<ReturnType<typeof startApi>>
  loads: Awaited<ReturnType<typeof openLoads>>
  databaseUrl: string
}

async function measure({ folder, reader, api, loads, databaseUrl }: Place): Promise<boolean> {
  const [parquet, csv] = [join(folder, 'bill.parquet'), join(folder, 'bill.csv.gz')]
  const bare = await bareDuckDb(join(folder, 'scratch'))
  await makeBill(bare, { lines, parquet, csv })
  const read = async (path: string) => {
    const answer = await reader.readBills({
      files: [{ path, key: 'bill' }],
      tagAliases: {},
      limits: { bytes: 20 * 1024 ** 3 },
      outFolder: folder,
    })
    const slice = answer.kind === 'read' ? answer.slices[0] : undefined
    if (slice?.rowsRead !== lines) throw new Error(JSON.stringify(answer))
    return answer
  }

  const times = { bare: [], reader: [], ours: [], again: [], csv: [], waits: [] } as Times
  const memory = watchMemory()
  for (let round = 0; round < rounds; round += 1) {
    const target = join(folder, 'bare.csv')
    times.bare.push(
      await timed(() => groupBare(bare, parquet, target).then(() => copyBare(databaseUrl, target))),
    )
    const source = `bench-${round}`
    const waited = askMeanwhile(api)
    for (const kind of ['ours', 'again'] as const) {
      const start = performance.now()
      const bill = await read(parquet)
      const readAt = performance.now()
      await loads.load(source, bill)
      times[kind].push((performance.now() - start) / 1_000)
      if (kind === 'ours') times.reader.push((readAt - start) / 1_000)
    }
    times.waits.push(await waited())
    times.csv.push(await timed(() => read(csv)))
  }
  return judge(times, memory())
}

type Times = Record<'bare' | 'reader' | 'ours' | 'again' | 'csv' | 'waits', number[]>

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return (performance.now() - start) / 1_000
}

function judge(
  times: Times,
  { readerBytes, heapBytes }: { readerBytes: number; heapBytes: number },
): boolean {
  const [bare, ours, csv] = [median(times.bare), median(times.ours), median(times.csv)]
  const longestWait = Math.max(...times.waits)
  const checks: Array<[name: string, value: string, limit: string, isKept: boolean]> = [
    ['DuckDB’s grouping and COPY, Parquet', seconds(bare), '', true],
    ['the reader, Parquet', seconds(median(times.reader)), '', true],
    ['reader, load and swap, Parquet', seconds(ours), '', true],
    ['the same month again', seconds(median(times.again)), '', true],
    share('share of the bare one', bare / ours, limits.share),
    share('the reader, csv.gz, rows/s', lines / csv, limits.csvRowsPerSecond),
    [
      'longest wait for a payload meanwhile',
      `${longestWait.toFixed(0)} ms`,
      `≤ ${limits.waitMs} ms`,
      longestWait <= limits.waitMs,
    ],
    memoryOf('memory of the reader', readerBytes, limits.readerBytes),
    memoryOf('heap of this process, above its start', heapBytes, limits.heapBytes),
  ]
  console.log(`${lines} lines × 59 columns, median of ${rounds}\n`)
  console.log(
    table([
      ['', 'measured', 'limit'],
      ...checks.map(([name, value, limit]) => [name, value, limit]),
    ]),
  )
  return checks.every(([, , , isKept]) => isKept)
}

const seconds = (value: number): string => `${value.toFixed(1)} s`

// oxlint-disable-next-line max-params -- a line of the table
const share = (name: string, value: number, limit: number): [string, string, string, boolean] => [
  name,
  value.toFixed(2),
  `≥ ${limit}`,
  value >= limit,
]

// oxlint-disable-next-line max-params -- a line of the table
const memoryOf = (
  name: string,
  bytes: number,
  limit: number,
): [string, string, string, boolean] => [
  name,
  mebibytes(bytes),
  `≤ ${mebibytes(limit)}`,
  bytes <= limit,
]

const mebibytes = (bytes: number): string => `${Math.round(bytes / 1024 ** 2)} MiB`
