import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startTestEngines } from '../test/setup/engines.ts'
import { Secret } from '../config.ts'
import { connectOwner } from '../store/driver/connect.ts'
import { benchConfig } from './config.ts'
import { cpuSince, cpuTime } from './cpu-time.ts'
import { median, table } from './figures.ts'
import { startApi, startBare, type BenchApi } from './start-api.ts'

/** `cpuMs` is the CPU time of one request in the server, PostgreSQL and the client together. */
type Figures = { perSecond: number; p50: number; p99: number; cpuMs: number }

const rounds = benchConfig.rounds(9)
const forMs = benchConfig.forMs(2_000)
const { scale } = benchConfig
const small = { pipelines: 500, runs: 10_000, people: 100, entries: 10_000 }
const large = {
  pipelines: 50_000 * scale,
  runs: 1_000_000 * scale,
  people: 10_000 * scale,
  entries: 1_000_000 * scale,
}
const lists = {
  pipelines: '/api/pipelines',
  runs: '/api/pipelines/250/runs',
  audit: '/api/audit',
  users: '/api/org/users',
}

/**
 * Measures the API beside bare Fastify and pg handlers with similar answers, and its lists on a
 * large store beside a small one. Every round measures each in turn, so that other load on the
 * machine affects all of them.
 */
export async function apiSuite(): Promise<boolean> {
  const dataDir = mkdtempSync(join(tmpdir(), 'cc-bench-api-'))
  const engines = await startTestEngines({ temporal: false })
  const closing: Array<() => Promise<void>> = []
  try {
    const at = (name: string) => ({ databaseUrl: engines.databaseUrl, name, dataDir })
    console.log('filling two stores')
    const few = await startApi(at('bench_small'), small)
    closing.push(few.stop)
    const many = await startApi(at('bench_large'), large)
    closing.push(many.stop)
    const bare = await startBare(engines.databaseUrl, 'bench_large')
    closing.push(bare.stop)
    const postgresPid = await pidOfPostgres(engines.databaseUrl)

    const throughput = await measure(
      { connections: 8, postgresPid },
      {
        'bare row': [bare, '/row/1'],
        me: [many, '/api/auth/me'],
        'bare list': [bare, '/rows/1'],
        pipelines: [many, '/api/pipelines'],
      },
    )
    const latency = await measure(
      { connections: 1, postgresPid },
      Object.fromEntries(
        Object.entries(lists).flatMap(([name, path]): Array<[string, [BenchApi, string]]> => [
          [`${name} small`, [few, path]],
          [`${name} large`, [many, path]],
        ]),
      ),
    )
    return report(throughput, latency)
  } finally {
    for (const close of closing) await close()
    await engines.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

type Measured = Record<string, Figures[]>

async function measure(
  { connections, postgresPid }: { connections: number; postgresPid: number },
  subjects: Record<string, [BenchApi, string]>,
): Promise<Measured> {
  const measured: Measured = Object.fromEntries(Object.keys(subjects).map((name) => [name, []]))
  // The first round warms up compilers, query plans and caches.
  for (let round = 0; round <= rounds; round += 1)
    for (const [name, [{ address, cookie, pid }, path]] of Object.entries(subjects)) {
      const parts = { server: pid, postgres: postgresPid }
      const before = cpuTime(parts)
      const { count, cpuMs, ...figures } = await ask(`${address}${path}`, cookie, connections)
      const { server = 0, postgres = 0 } = cpuSince(before, cpuTime(parts))
      const all = cpuMs + ((server + postgres) * 1_000) / count
      if (round > 0) measured[name]?.push({ ...figures, cpuMs: all })
    }
  return measured
}

/** The parent of the process that serves this connection: the PostgreSQL server. */
export async function pidOfPostgres(databaseUrl: string): Promise<number> {
  const owner = connectOwner(new Secret(databaseUrl))
  try {
    const { rows } = await owner.raw('select pg_backend_pid() as pid')
    const status = readFileSync(`/proc/${rows[0].pid}/status`, 'utf8')
    return Number(/^PPid:\s*(\d+)/m.exec(status)?.[1])
  } finally {
    await owner.destroy()
  }
}

type Answer = Figures & { count: number }

async function ask(address: string, cookie: string, connections: number): Promise<Answer> {
  const client = join(import.meta.dirname, 'load-client.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [
    client,
    address,
    cookie,
    String(connections),
    String(forMs),
  ])
  return JSON.parse(stdout)
}

function report(throughput: Measured, latency: Measured): boolean {
  const of = (measured: Measured, name: string, field: keyof Figures) =>
    (measured[name] ?? []).map((figures) => figures[field])
  /** The ratio is taken per round, so that a busy moment affects both of its sides. */
  const ratio = (measured: Measured, [above, below]: [string, string], field: keyof Figures) => {
    const under = of(measured, below, field)
    return median(of(measured, above, field).map((value, round) => value / (under[round] ?? 1)))
  }
  const cpu: string[][] = []
  const lines: Array<{ what: string; value: number; limit: string; pass: boolean }> = []
  const atLeast = (what: string, value: number, limit: number) =>
    lines.push({ what, value, limit: `>= ${limit}`, pass: value >= limit })
  const atMost = (what: string, value: number, limit: number) =>
    lines.push({ what, value, limit: `<= ${limit}`, pass: value <= limit })
  for (const [name, bare, limit] of [
    ['me', 'bare row', 0.6],
    ['pipelines', 'bare list', 0.5],
  ] as const) {
    atLeast(`${name}: requests/s to ${bare}`, ratio(throughput, [name, bare], 'perSecond'), limit)
    cpu.push([`${bare} to ${name}`, ratio(throughput, [bare, name], 'cpuMs').toFixed(2)])
    atMost(`${name}: p99 to ${bare}`, ratio(throughput, [name, bare], 'p99'), 3)
  }
  for (const name of Object.keys(lists))
    atMost(
      `${name}: latency on the large store beside the small`,
      ratio(latency, [`${name} large`, `${name} small`], 'p50'),
      1.3,
    )
  const measured = Object.entries({ ...throughput, ...latency }).map(([name]) => {
    const from = name in throughput ? throughput : latency
    const cell = (field: keyof Figures) =>
      median(of(from, name, field)).toFixed(field === 'perSecond' ? 0 : 2)
    return [name, cell('perSecond'), cell('p50'), cell('p99'), cell('cpuMs')]
  })
  const head = ['median of rounds', 'requests/s', 'p50 ms', 'p99 ms', 'CPU ms']
  console.log(`\n${table([head, ...measured])}`)
  // These figures have no limit. CPU time depends less on other load of the machine.
  console.log(`\n${table([['CPU of the bare one to ours', 'ratio'], ...cpu])}`)
  console.log(
    `\n${table([
      ['ratio', 'measured', 'limit', ''],
      ...lines.map(({ what, value, limit, pass }) => [
        what,
        value.toFixed(2),
        limit,
        pass ? 'PASS' : 'FAIL',
      ]),
    ])}`,
  )
  return lines.every(({ pass }) => pass)
}
